fn scaled(x, n) = x * n
let f = custom_vjp(scaled, fn(x, n) = (x * n, n), fn(n, g) = (sum(g * n), none))
print(grad(fn(x) = sum(f(x, 2)))(ones(3)))

# error: PM0425 "f(x, 2)"
# message: the bwd of `scaled` must give f32[3] as the cotangent of argument 0, `x`, but gives f32
