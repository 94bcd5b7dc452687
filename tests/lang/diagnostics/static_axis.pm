# devices: 2
print(pmap(fn(x, n) = x * n, in_axes=(0, 0), static_broadcasted_argnums=1)(arange(2.0), 3))

# error: PM0314
# message: in_axes of `pmap` is (0, 0): argument 1, `n` is static, and has no axis
# help: write `none` at place 1
