mut x = ones((1, 3))
print(pmap(fn(x) = 2.0 * x, donate_argnums=1)(x))
# error: PM0314 "pmap(fn(x) = 2.0 * x, donate_argnums=1)(x)"
# message: donate_argnums of `pmap` is 1: the call has 1 positional argument
