fn f(x, i) = x with [x[:, 0] > 1.0, i] = 5.0
print(f(ones((2, 2)), 0))
print(f(ones((2, 2)), [0, 1]))

# expect: [[1, 1], [1, 1]]
# error: PM0286 "x[:, 0] > 1.0"
# message: a mask that is computed in compiled code gives a result of unknown size
# help: beside the mask, use numbers and slices
