# options: --check-overflow
fn square(n) = n * n
print(square(1000))
print(square(100000))

# expect: 1000000
# error: PM0506 "n * n"
# message: `*` wraps around: 100000 * 100000
# calls: 4:7
# help: convert to a type with a larger range first: i64(x)
