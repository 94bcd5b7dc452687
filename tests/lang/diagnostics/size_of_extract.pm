print(vmap(fn(x) = extract(x > 0, x))(ones((2, 5))))
# error: PM0120 "extract(x > 0, x)"
# message: `vmap` cannot go through this function: the size of what `extract` gives depends on values; say it: extract(..., size=n)
