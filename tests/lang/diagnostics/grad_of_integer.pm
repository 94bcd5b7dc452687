fn f(n) = n * n
print(grad(f)(3))

# error: PM0410 "3"
# message: `grad` is taken with respect to argument 0, `n`, which is i32; derivatives need a floating type
# help: write it with a point, as 3.0, or convert it: f32(x)
# caret: i32
