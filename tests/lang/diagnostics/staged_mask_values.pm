fn f(x, y) = x with [x > 1.0] = y
print(f(arange(4.0), ones(2)))

# error: PM0286 "x with [x > 1.0] = y"
# message: a mask that is computed in compiled code gives a result of unknown size
# note: each place gets the same, of shape (); this has shape (2,)
# help: values of the array's own shape are chosen: where(mask, values, x)
