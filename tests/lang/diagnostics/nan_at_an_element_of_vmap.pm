# options: --check-nans
fn ratio(x, y) = x / y
print(vmap(ratio)([1.0, 0.0], [0.0, 0.0]))

# error: PM0505 "x / y"
# message: `/` makes a NaN: 0.0 / 0.0
# note: through `vmap(ratio)`
# help: keep the divisor away from 0, where(y == 0, 1, y), and both sides finite
