fn scaled(x, n) = x * n
let f = custom_vjp(scaled, fn(x, n) = (x * n, n), fn(n, g) = (g * n, 0))
print(grad(fn(x) = sum(f(x, 2)))(ones(3)))

# error: PM0425 "f(x, 2)"
# message: the bwd of `scaled` must give none as the cotangent of argument 1, `n`, but gives i32
