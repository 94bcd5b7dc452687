# options: --check-overflow
fn counts(x) = zeros(3, u8) with [x] += u8(1)
print(counts(array([0, 1, 1])))
print(counts(zeros(256, i32)))

# expect: [1, 2, 0]
# error: PM0506 "zeros(3, u8) with [x] += u8(1)"
# message: `with` wraps around at [0]
# calls: 4:7
# help: convert to a type with a larger range first: i32(x)
