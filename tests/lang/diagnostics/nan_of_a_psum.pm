# options: --check-nans
# devices: 1 2
print(pmap(fn(x) = psum(x, "i"), axis_name="i")([inf, -inf]))

# error: PM0505 "psum(x, "i")"
# message: `psum` makes a NaN, of values without one
# note: through `pmap(fn)`
