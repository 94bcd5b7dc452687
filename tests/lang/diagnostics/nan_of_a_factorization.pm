# options: --check-nans
print(linalg.cholesky([[1.0, 2.0], [2.0, 1.0]]))

# error: PM0505 "linalg.cholesky([[1.0, 2.0], [2.0, 1.0]])"
# message: `sqrt` makes a NaN: sqrt(-3.0)
# help: `where` around it computes it for all elements: choose the argument inside of it, sqrt(where(ok, x, 1))
