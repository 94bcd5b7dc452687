# A function that must be compiled, such as the operand of grad, cannot access files.
fn scaled(x) = x * (if file_exists("nowhere") { 2.0 } else { 3.0 })

print(scaled(2.0))
print(grad(scaled)(2.0))

# expect: 6.0
# error: PM0120 "file_exists("nowhere")"
# message: `grad` cannot go through this function: `file_exists` works with files, time or the terminal
# second: "grad(scaled)(2.0)"
