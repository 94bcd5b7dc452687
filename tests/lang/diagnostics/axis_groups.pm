# devices: 4
print(pmap(fn(x) = psum(x, "i", axis_index_groups=((0, 1), (2,))), axis_name="i")(arange(4.0)))
# error: PM0354 "((0, 1), (2,))"
# message: `psum` over 4 slices needs axis_index_groups with every place from 0 to 3 once, but 3 is missing
