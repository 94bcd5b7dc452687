print(vmap(fn(x) = {u: x, v: (x, x)}, out_axes={u: 0, v: (0, 3)})(ones(2)))

# error: PM0314
# message: out_axes of `vmap` is 3: result `.v.1` has 1 axis
# help: use an axis from -1 to 0
