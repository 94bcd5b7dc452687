fn double(x) = 2 * x
let f = custom_jvp(double, fn(p, t) = ({y: 2 * p.0}, 2 * t.0))
print(grad(fn(x) = sum(f(x)))(ones(3)))

# error: PM0422 "f(x)"
# message: the rule of `double` must give the result that `double` gives, f32[3], but gives {y: f32[3]}
