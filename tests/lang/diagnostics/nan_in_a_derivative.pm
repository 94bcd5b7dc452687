# options: --check-nans
fn length(v) = sqrt(sum(v * v))
print(grad(length)([3.0, 4.0]))
print(grad(length)([0.0, 0.0]))

# expect: [0.6, 0.8]
# error: PM0505 "v * v"
# message: `*` in the derivative of this makes a NaN at [0]: 0.0 * inf
# note: through `grad(length)`
# help: where the slope has no value, keep what the function is given away from there, inside of it: sqrt(where(x > 0, x, 1))
