print(delete([1, 2, 3], [true, false]))
# error: PM0504 "delete([1, 2, 3], [true, false])"
# message: the mask of `delete` must have an element for each of 3, got bool[2]
