print(vmap(fn(x) = all_gather(x, "i", axis_index_groups=((0,), (1, 2, 3))), axis_name="i")(arange(4.0)))
# error: PM0354 "((0,), (1, 2, 3))"
# message: `all_gather` over 4 slices needs axis_index_groups of one size, but they have 1 and 3
