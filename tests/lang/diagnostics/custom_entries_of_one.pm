let f = custom_vjp(sin, fn(x) = (sin(x), cos(x)), fn(slope, g) = g * slope)
print(grad(f)(1.0))

# error: PM0424 "grad(f)(1.0)"
# message: the bwd of `sin` must give a tuple with an entry for each of 1 argument, but gives f32
# help: a tuple of one is written with a comma: (cotangent,)
