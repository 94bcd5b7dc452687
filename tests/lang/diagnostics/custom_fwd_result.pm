fn double(x) = 2 * x
let f = custom_vjp(double, fn(x) = (sum(x), ()), fn(r, g) = (2 * g,))
print(grad(fn(x) = sum(f(x)))(ones(3)))

# error: PM0422 "f(x)"
# message: the fwd of `double` must give the result that `double` gives, f32[3], but gives f32
