print(insert([1, 2, 3], [0, 9], 7))
# error: PM0503 "insert([1, 2, 3], [0, 9], 7)"
# message: a place of `insert` is outside of 3 elements
