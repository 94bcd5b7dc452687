print(vmap(fn(x) = pbroadcast(x, "i", 1.5), axis_name="i")([1.0, 2.0, 3.0]))

# error: PM0504 "pbroadcast(x, "i", 1.5)"
# message: the `source` of `pbroadcast` must be an integer of at least 0, got 1.5
