# The message of an error at run time names the transformations of the function, like that of an error before the run.
fn pick(x, i) = x[i] ** 2
fn total(x) = sum(vmap(pick, in_axes=(none, 0))(x, [0, 1]))
print(grad(total)(arange(3.0)))
print(vmap(pick, in_axes=(none, 0))(arange(3.0), [0, 7]))

# expect: [0, 2, 0]
# error: PM0501 "i"
# note: through `vmap(pick)`
