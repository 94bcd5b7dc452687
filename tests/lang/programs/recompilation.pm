# options: --explain
# configs: compiled
# The function is not compiled again for another learning rate, but for another size.
fn step(x, lr) = x - lr * x
print(step(ones(2), 0.1), step(ones(2), 0.2), step(ones(3), 0.1))

# expect: [0.9, 0.9] [0.8, 0.8] [0.9, 0.9, 0.9]
# stderr: {*}recompilation.pm:5:7: note: the function `step` is compiled for (f32[2], f32)
# stderr: {*}recompilation.pm:5:47: note: the function `step` is compiled for (f32[3], f32)
