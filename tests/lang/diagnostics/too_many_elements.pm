print(vmap(fn(x) = x + zeros(1000), in_axes=none, axis_size=10 ** 16)(1.0))

# error: PM0206 "vmap(fn(x) = x + zeros(1000), in_axes=none, axis_size=10 ** 16)(1.0)"
# message: an array of shape (10000000000000000, 1000) and dtype f32 is larger than any memory
