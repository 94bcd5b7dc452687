# Jacobians by one argument, by several, of trees; lengths of ranges.
fn f(x, y, s) = {a: x * y, b: sum(x) * s}
let x = [1.0, 2.0]
let y = [3.0, 4.0]
for jac in (jacfwd, jacrev) {
    print(jac(f)(x, y, 2.0))
    print(jac(f, argnums=(0, 2))(x, y, 2.0))
    print(jac(f, argnums=(2, -2))(x, y, 2.0).b)
}
print(hessian(fn(x, y) = sum(x * x * y), argnums=(0, 1))(x, y))
print(len(range(0, 1 << 62)), len(5..2), len(range(10, 0, -3)), len("abc"))

# expect: {a: [[3, 0], [0, 4]], b: [2, 2]}
# expect: {a: ([[3, 0], [0, 4]], [0, 0]), b: ([2, 2], 3.0)}
# expect: (3.0, [0, 0])
# expect: {a: [[3, 0], [0, 4]], b: [2, 2]}
# expect: {a: ([[3, 0], [0, 4]], [0, 0]), b: ([2, 2], 3.0)}
# expect: (3.0, [0, 0])
# expect: (([[6, 0], [0, 8]], [[2, 0], [0, 4]]), ([[2, 0], [0, 4]], [[0, 0], [0, 0]]))
# expect: 4611686018427387904 0 4 3
