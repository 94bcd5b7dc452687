let f = custom_vjp(sin, fn(x) = (sin(x), cos(x)), fn(slope, g) = (g * slope,))
print(jacfwd(fn(x) = f(x) * 2)(1.0))

# error: PM0427 "f(x)"
# message: forward mode cannot go through `sin`: custom_vjp gives its derivative in reverse mode only
# help: take the derivative by reverse mode: grad, vjp, jacrev
