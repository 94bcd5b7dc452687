# A size in an annotation that does not fit into 64 bits.
fn f(x: f32[0, n], y: f32[n * n * 2]) = (x, y)
f(zeros((0, 3000000000)), zeros(3))

# error: PM0502 "n * n * 2"
# message: a size is divided by zero, or does not fit 64 bits
# note: sizes here: n = 3000000000
# help: write the size as a name of its own, and compute with it in the function
