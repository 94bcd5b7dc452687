# One thread computes each element; the operations after a tanh are in the same kernel.
fn step(w, g) = w - 0.1 * g * (1 - tanh(w) ** 2)
step(zeros((1000, 300)), ones((1000, 300)))
