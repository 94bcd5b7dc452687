let rows = [ones(2), ones(3)]
print(rows)

# error: PM0282 "[ones(2), ones(3)]"
# message: the elements of an array have one shape, got (2,) and (3,)
# help: put arrays of several shapes in a tuple: (a, b); concatenate((a, b)) joins them
