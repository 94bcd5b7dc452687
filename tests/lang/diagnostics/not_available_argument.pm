print(pmap(fn(x) = psum(x, "i", axis_index_groups=((0, 1), (2,))), axis_name="i")(zeros(3)))
# error: PM0804 "axis_index_groups"
