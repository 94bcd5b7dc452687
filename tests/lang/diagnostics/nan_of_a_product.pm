# options: --check-nans
let a = [[1.0, inf], [1.0, 2.0]]
print(a @ array([[1.0, 2.0], [0.0, 1.0]]))

# error: PM0505 "a @ array([[1.0, 2.0], [0.0, 1.0]])"
# message: `matmul` makes a NaN at [0, 0], of values without one
