print(grad(fn(x, y) = x * y, argnums=2)(1.0, 2.0))

# error: PM0411 "grad(fn(x, y) = x * y, argnums=2)(1.0, 2.0)"
# message: argnums 2 is out of range for 2 arguments
