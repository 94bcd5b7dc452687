# The permutation has each axis, also if the order does not change.
print(transpose(zeros((2, 3, 4)), (0, 1, 2)).shape, transpose(zeros((2, 3)), 0, 1).shape)

# expect: (2, 3, 4) (2, 3)
