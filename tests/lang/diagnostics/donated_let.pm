let x = ones((1, 3))
let y = pmap(fn(x) = 2.0 * x, donate_argnums=0)(x)
print(x[0])
# error: PM0318 "x"
# help: declare it with `mut`, and give the name what the call returns: x = ...
