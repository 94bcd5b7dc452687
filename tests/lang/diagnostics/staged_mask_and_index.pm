fn f(x) = x with [x[:, 0] > 1.0, 0] = 5.0
print(f(ones((2, 2))))

# error: PM0286 "x[:, 0] > 1.0"
# message: a mask that is computed in compiled code gives a result of unknown size
# help: let the mask be the only index
