# options: --check-overflow
# devices: 2
fn total(x) = psum(x, "i")
print(pmap(total, axis_name="i")(array([1, 2])))
print(pmap(total, axis_name="i")(array([2147483647, 1])))

# expect: [3, 3]
# error: PM0506 "psum(x, "i")"
# message: `psum` wraps around
# calls: 5:7
# note: on device 0
# note: through `pmap(total)`
# help: convert to a type with a larger range first: i64(x)
