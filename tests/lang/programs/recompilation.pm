# options: --explain
# configs: compiled
# A learning rate does not recompile, a size does.
fn step(x, lr) = x - lr * x
print(step(ones(2), 0.1), step(ones(2), 0.2), step(ones(3), 0.1))
