# options: --check-overflow
fn total(x) = sum(x, axis=1)
print(total(array([[1, 2], [3, 4]])))
print(total(array([[1, 2], [2147483647, 1]])))

# expect: [3, 7]
# error: PM0506 "sum(x, axis=1)"
# message: `sum` wraps around at [1]
# calls: 4:7
# help: convert to a type with a larger range first: i64(x)
