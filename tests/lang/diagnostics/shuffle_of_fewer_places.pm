print(pmap(fn(x) = pshuffle(x, "i", (1, 0)), axis_name="i")([1.0, 3.0, 2.0]))

# error: PM0504 "pshuffle(x, "i", (1, 0))"
# message: `perm` has 2 places, but the axis 3
# devices: 3
