# A number has no axis that a map could split.
print(pmap(fn(x, k) = x * k, in_axes=(0, 0))(arange(12.0).reshape(4, 3), 10.0))

# error: PM0312 "10.0"
# message: `pmap` maps axis 0 of argument 1, `k`, f32, which has 0 axes
# help: give every slice the same number: in_axes=none for this argument
