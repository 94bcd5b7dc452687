# options: --check-overflow
let n = 100i8
print(n + 27i8)
print(n + 28i8)

# expect: 127
# error: PM0506 "n + 28i8"
# message: `+` wraps around: 100 + 28
# help: convert to a type with a larger range first: i32(x)
