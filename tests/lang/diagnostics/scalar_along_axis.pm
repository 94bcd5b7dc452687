# A number has no axis to split.
print(pmap(fn(x, k) = x * k, in_axes=(0, 0))(arange(12.0).reshape(4, 3), 10.0))
