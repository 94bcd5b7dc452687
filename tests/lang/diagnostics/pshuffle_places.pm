print(vmap(fn(x) = pshuffle(x, "i", (0, 1, 2)), axis_name="i")(arange(4.0)))

# error: PM0504
# message: `perm` has 3 places, but the axis 4
