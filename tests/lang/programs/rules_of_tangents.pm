# A rule of custom_jvp applies operations to tangents. Reverse mode transposes the rule and has no values for tangents.
fn close(a, b, tol=1e-9) = all(abs(a - b) <= tol * (1 + abs(b)))

# ---- effects that depend on tangents happen in forward mode only; reverse mode omits operations that no result uses
fn noted_rule(primals, tangents) {
    let ((x,), (d,)) = (primals, tangents)
    if d > 0.5 { print("a tangent of {d}") }
    assert(abs(d) < 10)
    mut halved = d
    while abs(halved) > 1 { halved = halved / 2 }
    if isfinite(halved) { print("{halved}") }
    (x * x, 2 * x * d)
}
let noted = custom_jvp(fn(x) = x * x, noted_rule)
print(jvp(noted, (3.0,), (4.0,)))
print(grad(noted)(3.0), vmap(grad(noted))([1.0, 2.0]), grad(grad(noted))(3.0))
# expect: a tangent of 4.0
# expect: 1.0
# expect: (9.0, 24.0)
# expect: 6.0 [2, 4] 2.0

# ---- forward mode runs a rule unchanged, also after partial evaluation; conditions in the rule accept zero tangents
fn decided_rule(primals, tangents) {
    let ((x, y), (dx, dy)) = (primals, tangents)
    let side = if dy != 0 { dy * x } else { 0.0 }
    (x * y, dx * y + side)
}
let product = custom_jvp(fn(x, y) = x * y, decided_rule)
print(linearize(product, 3.0, 5.0)[1](1.0, 2.0), grad(product)(3.0, 5.0), jacfwd(product, argnums=1)(3.0, 5.0))
print(grad(fn(x) = linearize(fn(y) = product(x, y), 5.0)[1](2.0))(3.0))
# expect: 11.0 5.0 3.0
# expect: 2.0

# ---- a rule applies its function to a tangent, and the function calls a function with another rule
let square = custom_jvp(fn(s) = s * s, fn(p, t) = (p.0 * p.0, 2 * p.0 * t.0))
fn times_rule(primals, tangents) {
    let ((s, b), (ds, db)) = (primals, tangents)
    (times(s, b), times(s, db) + 2 * s * ds * b)
}
let times = custom_jvp(fn(s, b) = square(s) * b, times_rule)
fn loss(s, b) = times(s, b) ** 2
fn plain(s, b) = (s * s * b) ** 2
print(jvp(grad(loss, argnums=(0, 1)), (3.0, 2.0), (1.0, 0.0)))
print(hessian(fn(p) = loss(p[0], p[1]))([3.0, 2.0]))
let at = f64([3.0, 2.0])
fn thirds(f) = jacfwd(hessian(fn(p) = f(p[0], p[1])))(at)
assert(close(thirds(loss), thirds(plain)))
assert(close(jacrev(jacrev(grad(fn(p) = loss(p[0], p[1]))))(at), thirds(plain)))
assert(close(hvp(fn(p) = loss(p[0], p[1]), at, 2 * at), hvp(fn(p) = plain(p[0], p[1]), at, 2 * at)))
# expect: ((432.0, 324.0), (432.0, 432.0))
# expect: [[432, 432], [432, 162]]

# ---- rules that solve systems of equations: second derivatives along s of a function that is linear in both arguments
let m = f64([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 5.0]])
let r = f64([1.0, 2.0, 3.0])
fn second(f, x, dx) {
    let h = 1e-4
    ((grad(f)(x + h * dx) - grad(f)(x - h * dx)) / (2 * h), hvp(f, x, dx))
}
fn holds(f, x, dx) {
    let (differences, exact) = second(f, x, dx)
    close(exact, differences, tol=1e-6)
}
let dm = f64([[0.3, 0.1, 0.2], [0.1, -0.4, 0.5], [0.2, 0.5, 0.6]])
assert(holds(fn(a) = sum(linalg.solve(a, r) ** 2), m, dm))
assert(holds(fn(a) = sum(linalg.solve(a, a @ a) ** 3), m, dm))
assert(holds(fn(a) = sum(linalg.solve(a, a[0] * r) * a[1]), m, dm))
assert(holds(fn(a) = linalg.det(a), m, dm))
assert(holds(fn(a) = sum(linalg.cholesky(a) ** 3), m, dm))
assert(holds(fn(a) = sum(linalg.lu_factor(a)[0] ** 3), m, dm))
assert(holds(fn(a) = linalg.slogdet(a)[1], m, dm))
