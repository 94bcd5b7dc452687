# The check evaluates `ones(3)` without elements. Functions returned by vjp and linearize do not capture such elements.
# command: check
# configs: compiled
let (y, pullback) = vjp(fn(x) = 2 * x, ones(3))
let (z, derivative) = linearize(fn(x) = 2 * x, ones(3))
let both = (pullback, derivative)
print(pullback(ones(3)), derivative(ones(3)))
pullback(ones(4))

# error: PM0429 "pullback(ones(4))"
