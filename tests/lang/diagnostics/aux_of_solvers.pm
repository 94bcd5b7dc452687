# A function that is passed to a solver with has_aux must return a pair; an array of two rows is no pair.
# session: yes
let a = [[2.0, 1.0], [1.0, 3.0]]
fn solve(product, b) = stack((b, b))
custom_linear_solve(fn(x) = a @ x, ones(2), solve, has_aux=true)
custom_linear_solve(fn(x) = a @ x, ones(2), fn(product, b) = (b, 1, 2), has_aux=true)
grad(fn(b) = sum(custom_linear_solve(fn(x) = a @ x, b, fn(product, b) = (b, 1), transpose_solve=solve, has_aux=true)[0]))(ones(2))
custom_root(fn(x) = x - 1, ones(2), solve, fn(g, y) = y, has_aux=true)
custom_root(fn(x) = x - 1, ones(2), fn(f, x) = {x, steps: 1}, fn(g, y) = y, has_aux=true)

# error: PM0504 "custom_linear_solve(fn(x) = a @ x, ones(2), solve, has_aux=true)"
# message: with has_aux the `solve` of `custom_linear_solve` must return a tuple of two, (x, more), got f32[2, 2]
# note: through `custom_linear_solve(fn)`
# error: PM0504 "custom_linear_solve(fn(x) = a @ x, ones(2), fn(product, b) = (b, 1, 2), has_aux=true)"
# message: with has_aux the `solve` of `custom_linear_solve` must return a tuple of two, (x, more), got a tuple of 3
# note: through `custom_linear_solve(fn)`
# error: PM0504 "custom_linear_solve(fn(x) = a @ x, b, fn(product, b) = (b, 1), transpose_solve=solve, has_aux=true)"
# message: with has_aux the `transpose_solve` of `custom_linear_solve` must return a tuple of two, (x, more), got f32[2, 2]
# note: through `custom_linear_solve(fn)`
# note: through `grad(fn)`
# error: PM0504 "custom_root(fn(x) = x - 1, ones(2), solve, fn(g, y) = y, has_aux=true)"
# message: with has_aux the `solve` of `custom_root` must return a tuple of two, (x, more), got f32[2, 2]
# note: through `custom_root(fn)`
# error: PM0504 "custom_root(fn(x) = x - 1, ones(2), fn(f, x) = {x, steps: 1}, fn(g, y) = y, has_aux=true)"
# message: with has_aux the `solve` of `custom_root` must return a tuple of two, (x, more), got a record {x, steps}
# note: through `custom_root(fn)`
