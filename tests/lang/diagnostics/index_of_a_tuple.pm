# `nonzero` returns a tuple with one array of indices for each axis.
# session: yes
let x = arange(6.0).reshape(2, 3)
let v = arange(3.0)
fn above(v) = v[nonzero(v > 0.5, size=2)]
fn some(v) = v[nonzero(v > 0.5)]
above(v)
some(v)
x[nonzero(x > 2)]
v[nonzero(v > 0.5)]
x[(0, 1)]
x[("a", 1)]
v with [nonzero(v > 0.5)] = 0.0
vmap(fn(x) = x[x > 2.0])(x)
v[nonzero(v > 0.5)[0]]

# error: PM0284 "nonzero(v > 0.5, size=2)"
# message: a tuple of 1 is no index
# help: index with its element: nonzero(v > 0.5, size=2)[0]
# error: PM0290 "nonzero(v > 0.5)"
# help: say how many elements at most: nonzero(..., size=n)
# error: PM0284 "nonzero(x > 2)"
# message: a tuple of 2 is no index
# help: index with its elements: nonzero(x > 2)[0], nonzero(x > 2)[1]
# error: PM0284 "nonzero(v > 0.5)"
# help: index with its element: nonzero(v > 0.5)[0]
# error: PM0284 "(0, 1)"
# help: leave out the parentheses around the indices
# error: PM0284 "("a", 1)"
# error: PM0284 "nonzero(v > 0.5)"
# help: index with its element: nonzero(v > 0.5)[0]
# error: PM0286 "x > 2.0"
# help: keep the size: where(mask, x, 0)
# help: or say how many there are at most: x[nonzero(mask, size=n)[0]]
# expect: [1, 2]
