fn f(flag, x) = if flag { x } else { 2.0 * x }
print(grad(f)(true, 1.0))

# error: PM0410 "true"
# message: `grad` is taken with respect to argument 0, `flag`, which is bool; derivatives need a floating type
# caret: bool
# help: convert it: f32(x)
# help: or differentiate another argument: argnums=1
