fn f(x) = x ** 2
print(vjp(f, 2.0, has_aux=true))

# error: PM0413 "vjp(f, 2.0, has_aux=true)"
# message: with has_aux `f` must return a tuple of two, got f32
