pmap(fn(x, n) = x * n, in_axes=(0, none), static_broadcasted_argnums=1, donate_argnums=(0, -1))(ones((1, 3)), 2)
# error: PM0314 "pmap(fn(x, n) = x * n, in_axes=(0, none), static_broadcasted_argnums=1, donate_argnums=(0, -1))(ones((1, 3)), 2)"
# message: donate_argnums of `pmap` is 1: the argument is one of static_broadcasted_argnums, and a constant has no memory
