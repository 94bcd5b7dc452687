# Static arguments by negative positions, in trees, with in_axes and named arguments, in jit and derivatives.
# devices: 1 2
fn fill(x, n) = sum(ones(n)) * x
print(pmap(fill, static_broadcasted_argnums=1)(arange(2.0), 3))
print(pmap(fill, static_broadcasted_argnums=-1)(arange(2.0), 3))
print(pmap(fill, static_broadcasted_argnums=(1,), in_axes=(0, none))(arange(2.0), 3))
print(jit(fn(x, n) = pmap(fill, static_broadcasted_argnums=1)(x, n))(arange(2.0), 3))

fn chosen(x, o, y=0.0) = if o.1 == "square" { o.0(x) + o.2[0] + y } else { x }
let static = pmap(chosen, static_broadcasted_argnums=1)
let o = (square, "square", (2, {n: 3}))
print(static(arange(2.0), o))
print(static(arange(2.0), (square, "none", (2, 3))))
print(static(arange(2.0), o, y=ones(2)))
print(jit(fn(x) = static(x, o))(arange(2.0)))
print(grad(fn(x) = sum(static(x, o)))(arange(2.0)))
print(vmap(fn(x) = static(x, o))(arange(4.0).reshape(2, 2)))
print(pmap(fn(x, y) = x, static_broadcasted_argnums=(0, 1), axis_size=2)(2, 3))

# expect: [0, 3]
# expect: [0, 3]
# expect: [0, 3]
# expect: [0, 3]
# expect: [2, 3]
# expect: [0, 1]
# expect: [3, 4]
# expect: [2, 3]
# expect: [0, 2]
# expect: [[2, 3], [6, 11]]
# expect: [2, 2]
