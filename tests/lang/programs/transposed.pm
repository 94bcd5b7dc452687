# A permutation of transpose names every axis, also if it does not change the order.
print(transpose(zeros((2, 3, 4)), (0, 1, 2)).shape, transpose(zeros((2, 3)), 0, 1).shape)

# expect: (2, 3, 4) (2, 3)
