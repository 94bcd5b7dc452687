print(vmap(fn(x) = all_gather(x, ()), axis_name="i")(arange(4.0)))

# error: PM0314 "()"
# message: the axis of `all_gather` is (): it needs at least one
