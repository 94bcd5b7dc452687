# options: --check-overflow
fn doubled(x) = x * 2
print(doubled(array([1000, 2000])))
print(doubled(array([1000, 1500000000])))

# expect: [2000, 4000]
# error: PM0506 "x * 2"
# message: `*` wraps around at [1]: 1500000000 * 2
# calls: 4:7
# help: convert to a type with a larger range first: i64(x)
