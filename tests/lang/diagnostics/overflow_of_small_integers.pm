# options: --check-overflow
fn brighter(image) = image + u8(100)
print(brighter(array([[100, 155], [0, 200]], u8)))

# error: PM0506 "image + u8(100)"
# message: `+` wraps around at [1, 1]: 200 + 100
# calls: 3:7
# help: convert to a type with a larger range first: i32(x)
