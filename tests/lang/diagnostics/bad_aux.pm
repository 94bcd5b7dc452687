print(grad(fn(x) = x ** 2, has_aux=true)(3.0))

# error: PM0413 "grad(fn(x) = x ** 2, has_aux=true)(3.0)"
# message: with has_aux `fn` must return a tuple of two, got f32
