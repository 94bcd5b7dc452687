fn double(x) = 2 * x
let f = custom_jvp(double, fn(p, t) = (2 * p.0, sum(t.0)))
print(grad(fn(x) = sum(f(x)))(ones(3)))

# error: PM0423 "f(x)"
# message: the rule of `double` must give f32[3] as the tangent of its result, but gives f32
# note: a tangent has the type of its value; whole numbers, bools and text have none, and `none` stands for zeros
