print(vmap(fn(x) = psum(x, "i", axis_index_groups=[[0, 1], [2, 3]]), axis_name="i")(arange(4.0)))
# error: PM0111 "[[0, 1], [2, 3]]"
# message: the `axis_index_groups` of `psum` needs a tuple of tuples of places, got i32[2, 2]
# help: write groups in round brackets, ((0, 1), (2, 3)): square ones make an array
