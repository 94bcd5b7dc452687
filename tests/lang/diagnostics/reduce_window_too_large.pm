print(reduce_window([1.0, 2.0], 0.0, add, (3,)))

# error: PM0504 "reduce_window([1.0, 2.0], 0.0, add, (3,))"
# message: `reduce_window`: a window of 3 does not fit into axis 0 of size 2
