print(pad([[1.0, 2.0]], [(1, 0)]))
# error: PM0111 "[(1, 0)]"
# message: an array needs numbers or arrays as elements, got a tuple of 2
# help: put anything else in a tuple, which has round brackets: ((1, 0),)
