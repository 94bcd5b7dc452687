print(vmap(fn(x) = union1d(x, [1]))([[1, 2]]))
# error: PM0120 "union1d(x, [1])"
# message: `vmap` cannot go through this function: the size of what `union1d` gives depends on values; say it: union1d(..., size=n)
# second: "vmap(fn(x) = union1d(x, [1]))([[1, 2]])"
