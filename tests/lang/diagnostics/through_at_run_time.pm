# An error at run time in a transformed function names the transformations, as an error before the run does.
fn pick(x, i) = x[i] ** 2
fn total(x) = sum(vmap(pick, in_axes=(none, 0))(x, [0, 1]))
print(grad(total)(arange(3.0)))
print(vmap(pick, in_axes=(none, 0))(arange(3.0), [0, 7]))

# expect: [0, 2, 0]
# error: PM0501 "i"
# note: through `vmap(pick)`
