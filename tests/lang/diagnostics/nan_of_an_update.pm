# options: --check-nans
fn f(x, i) = x with [i] += inf
print(f([1.0, -inf], [0, 1]))

# error: PM0505 "x with [i] += inf"
# message: `with` makes a NaN at [1], of values without one
