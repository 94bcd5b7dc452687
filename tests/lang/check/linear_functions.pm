# Functions that vjp and linearize return keep no elements of an array whose elements are unknown.
# command: check
# configs: compiled
let (y, pullback) = vjp(fn(x) = 2 * x, ones(3))
let (z, derivative) = linearize(fn(x) = 2 * x, ones(3))
let both = (pullback, derivative)
print(pullback(ones(3)), derivative(ones(3)))
pullback(ones(4))

# error: PM0429 "pullback(ones(4))"
