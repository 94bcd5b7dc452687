# options: --check-nans
# devices: 2
fn root(x) = sqrt(x)
let x = (arange(4 * 5003) % 77 + 1.0).reshape(4, 5003)
print(sum(pmap(root)(x)) > 0)
print(pmap(root)(x - 80 * (arange(4 * 5003).reshape(4, 5003) == 3 * 5003 + 4999)))

# expect: true
# error: PM0505 "x"
# message: `sqrt` makes a NaN at [4999]: sqrt(-14.0)
# note: on device 1
# note: through `pmap(root)`
# help: `where` around it computes it for all elements: choose the argument inside of it, sqrt(where(ok, x, 1))
