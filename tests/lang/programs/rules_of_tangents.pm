# What a rule of custom_jvp does with its tangents, where reverse mode has no values of them.
fn close(a, b, tol=1e-9) = all(abs(a - b) <= tol * (1 + abs(b)))

# ---- effects that go by tangents are those of forward mode; what no result hangs on is left out
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

# ---- forward mode runs a rule as it is, also after it has been cut; a tangent that is zeros decides like any value
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
