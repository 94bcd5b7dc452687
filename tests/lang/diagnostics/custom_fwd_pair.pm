let f = custom_vjp(fn(x) = 2 * x, fn(x) = (2 * x, x, x), fn(r, g) = (2 * g,))
print(grad(f)(1.0))

# error: PM0421 "grad(f)(1.0)"
# message: the fwd of `fn` must give a tuple of two, (result, residuals), but gives (f32, f32, f32)
