# options: --check-overflow
fn total(x) = sum(x * x)
print(vmap(total)(array([[1, 2], [3, 4]])))
print(vmap(total)(array([[1, 2], [3, 50000]])))

# expect: [5, 25]
# error: PM0506 "x * x"
# message: `*` wraps around at [1]: 50000 * 50000
# calls: 4:7
# note: at element 1 of the mapped axis
# note: through `vmap(total)`
# help: convert to a type with a larger range first: i64(x)
