let f = custom_vjp(sin, fn(x) = (sin(x), cos(x)), fn(slope, g) = (g * slope,))
let (y, derivative) = linearize(f, 0.0)
print(y)
print(derivative(1.0))

# expect: 0.0
# error: PM0427 "linearize(f, 0.0)"
# message: forward mode cannot go through `sin`: custom_vjp gives its derivative in reverse mode only
