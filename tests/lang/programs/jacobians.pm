# Jacobians with respect to one or several arguments, and of trees. At the end: lengths of large and empty ranges.
fn f(x, y, s) = {a: x * y, b: sum(x) * s}
let x = [1.0, 2.0]
let y = [3.0, 4.0]
for jac in (jacfwd, jacrev) {
    print(jac(f)(x, y, 2.0))
    print(jac(f, argnums=(0, 2))(x, y, 2.0))
    print(jac(f, argnums=(2, -2))(x, y, 2.0).b)
}
print(hessian(fn(x, y) = sum(x * x * y), argnums=(0, 1))(x, y))
# Trees of many leaves, of several dtypes and shapes: all columns are computed at once, or all rows.
fn mixed(t) = (t.a * f32(2.0) + sum(t.b), {c: t.b[0] * t.b, d: t.a})
for jac in (jacfwd, jacrev) {
    let j = jac(mixed)({b: f64([[1.0, 2.0], [3.0, 4.0]]), a: f32(5.0)})
    print(j[0], j[1].c.a.shape, j[1].c.b[:, :, 0, 0], j[1].d)
}
let many = tuple([float(i) for i in 0..120])
let wide = jacfwd(fn(t) = t[7] * sum(array([v for v in t])))(many)
print(len(wide), wide[7], wide[119])
print(len(range(0, 1 << 62)), len(5..2), len(range(10, 0, -3)), len("abc"))

# expect: {a: [[3, 0], [0, 4]], b: [2, 2]}
# expect: {a: ([[3, 0], [0, 4]], [0, 0]), b: ([2, 2], 3.0)}
# expect: (3.0, [0, 0])
# expect: {a: [[3, 0], [0, 4]], b: [2, 2]}
# expect: {a: ([[3, 0], [0, 4]], [0, 0]), b: ([2, 2], 3.0)}
# expect: (3.0, [0, 0])
# expect: (([[6, 0], [0, 8]], [[2, 0], [0, 4]]), ([[2, 0], [0, 4]], [[0, 0], [0, 0]]))
# expect: {b: [[1, 1], [1, 1]], a: 2.0} (2, 2) [[2, 0], [3, 0]] {b: [[0, 0], [0, 0]], a: 1.0}
# expect: {b: [[1, 1], [1, 1]], a: 2.0} (2, 2) [[2, 0], [3, 0]] {b: [[0, 0], [0, 0]], a: 1.0}
# expect: 120 7147.0 7.0
# expect: 4611686018427387904 0 4 3
