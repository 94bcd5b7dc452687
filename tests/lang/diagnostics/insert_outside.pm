print(insert([1, 2, 3], [0, 9], 7))
# error: PM0503 "insert([1, 2, 3], [0, 9], 7)"
# message: the places of `insert` into 3 elements must lie from -3 to 3, got [0, 9]
