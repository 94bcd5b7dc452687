# options: --check-nans
print(jvp(sqrt, (0.0,), (0.0,)))

# error: PM0505 "jvp(sqrt, (0.0,), (0.0,))"
# message: `*` in the derivative of this makes a NaN: 0.0 * inf
# help: where the slope has no value, keep what the function is given away from there, inside of it: sqrt(where(x > 0, x, 1))
