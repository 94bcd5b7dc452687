# The message shows the argument, and the line where the value must be known.
fn rows(n, x) = sum(zeros(i32(n)) + x)
print(grad(rows)(2.0, 1.0))

# error: PM0430 "2.0"
# message: `grad` is taken with respect to argument 0, `n`, which is static: its value decides how `rows` is compiled
# second: "i32(n)" here it must be known
# help: differentiate another argument: argnums=1
