print(pad([[1.0, 2.0]], [(1, 0)]))
# error: PM0111 "[(1, 0)]"
# message: an array needs numbers or arrays as elements, got a tuple of 2
# help: what is no number stands in a tuple: ((1, 0), (2, 0)), one alone ((1, 0),)
