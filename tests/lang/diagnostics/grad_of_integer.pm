fn f(n) = n * n
print(grad(f)(3))

# error: PM0410 "grad(f)(3)"
# message: `grad` is taken with respect to an argument, which is i32; derivatives need a floating type
# help: convert it: f32(x)
# help: or differentiate other arguments: argnums=...
