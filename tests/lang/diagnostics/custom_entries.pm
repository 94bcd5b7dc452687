fn product(a, b) = a * b
let f = custom_vjp(product, fn(a, b) = (a * b, (a, b)), fn(r, g) = (g * r.1,))
print(grad(f)(1.0, 2.0))

# error: PM0424 "grad(f)(1.0, 2.0)"
# message: the bwd of `product` must give a tuple with an entry for each of 2 arguments, but gives (f32,)
# help: give none for an argument without a cotangent
