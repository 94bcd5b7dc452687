# Derivatives that a program defines are compared with closed forms and with functions without custom rules.
fn close(a, b, tol=1e-9) = all(abs(a - b) <= tol * (1 + abs(b)))

# ---- custom_jvp: the rule is right where the derivative of the function itself is not
fn log1pexp_plain(x) = log(1.0 + exp(x))
fn log1pexp_rule(primals, tangents) {
    let (x,) = primals
    let (t,) = tangents
    (log1pexp(x), t * (1.0 - 1.0 / (1.0 + exp(x))))
}
let log1pexp = custom_jvp(log1pexp_plain, log1pexp_rule)
let points = array((-2.0f64, 0.0f64, 3.0f64))
fn logistic(x) = 1 / (1 + exp(-x))
assert(close(log1pexp(points), log1pexp_plain(points)))
assert(grad(log1pexp)(100.0) == 1.0)
assert(isnan(grad(log1pexp_plain)(100.0)))
assert(close(vmap(grad(log1pexp))(points), logistic(points)))
assert(close(jvp(log1pexp, (points,), (ones_like(points),))[1], logistic(points)))
# The rule calls the function itself. Derivatives of every order use the rule.
assert(close(vmap(grad(grad(log1pexp)))(points), logistic(points) * (1 - logistic(points))))
let third = logistic(points) * (1 - logistic(points)) * (1 - 2 * logistic(points))
assert(close(vmap(grad(grad(grad(log1pexp))))(points), third))
assert(close(jacfwd(log1pexp)(points), diag(logistic(points))))
assert(close(jacrev(log1pexp)(points), diag(logistic(points))))
assert(close(diag(hessian(fn(x) = sum(log1pexp(x)))(points)), logistic(points) * (1 - logistic(points))))
assert(close(jit(vmap(jit(grad(log1pexp))))(points), logistic(points)))
assert(close(grad(fn(x) = sum(vmap(log1pexp)(x)))(points), logistic(points)))
assert(close(vmap(vmap(grad(log1pexp)))(stack((points, 2 * points)))[1], logistic(2 * points)))

# The derivative is the rule's, not the function's: sqrt with a derivative of zero at 0.
let safe_sqrt = custom_jvp(sqrt, fn(primals, tangents) {
    let (x,) = primals
    let y = sqrt(x)
    (y, where(x > 0, tangents.0 / (2 * where(x > 0, y, 1)), 0))
})
print(grad(safe_sqrt)(0.0), grad(safe_sqrt)(4.0), grad(fn(x) = safe_sqrt(sum(x * x)))([0.0, 0.0]))

# A rule that returns the tangent unchanged (a straight-through estimator), and a rule that returns zeros.
let straight = custom_jvp(round, fn(p, t) = (round(p.0), t.0))
print(grad(fn(x) = sum(straight(x) ** 2))([1.2, 2.7]))
let still = custom_jvp(fn(x) = x * x, fn(p, t) = (p.0 * p.0, none))
print(grad(fn(x) = x + still(x))(3.0), jvp(still, (3.0,), (1.0,)))

# ---- arguments that are trees or integers, with defaults or names
fn weighted(p, n, scale=2.0) = {sum: scale * p.w * n + sum(p.b), count: n}
fn weighted_rule(primals, tangents) {
    let (p, n, scale) = primals
    let (dp, dn, dscale) = tangents
    assert(kind(dn) == "none")
    (weighted(p, n, scale), {sum: 10 * scale * dp.w * n + sum(dp.b) + dscale * p.w * n, count: none})
}
let custom_weighted = custom_jvp(weighted, weighted_rule)
let p = {w: 3.0, b: [1.0, 2.0]}
assert(custom_weighted(p, 2).sum == 15.0 and custom_weighted(p, 2).count == 2)
print(grad(fn(p) = custom_weighted(p, 2).sum)(p), grad(fn(p) = custom_weighted(p, 2, scale=1.0).sum)(p))
print(grad(fn(s) = custom_weighted(scale=s, n=2, p=p).sum)(5.0))
print(vmap(grad(fn(w) = custom_weighted({w: w, b: [1.0]}, 3).sum))([1.0, 2.0]))

# Arguments that are no numbers are passed to the rules unchanged; a numeric argument can become known.
fn powers(f, x, n) {
    mut y = x
    for i in 0..n { y = f(y) }
    y
}
let chained = custom_jvp(powers, fn(primals, tangents) {
    let (f, x, n) = primals
    (powers(f, x, n), tangents.1 * n * len(zeros(n)))
})
print(grad(fn(x) = chained(sin, x, 3))(1.0), grad(fn(x) = chained(fn(v) = v * 2, x, 2))(1.0))

let sized = custom_vjp(fn(x, n) = sum(x) * n, fn(x, n) = (sum(x) * n, n), fn(n, g) = (g * n * ones(n), none))
print(grad(sized)(ones(3), 3))

# ---- custom_vjp
fn clip_fwd(x, low, high) = (x, (low, high))
fn clip_bwd(residuals, g) {
    let (low, high) = residuals
    (clip(g, low, high), none, none)
}
let clip_gradient = custom_vjp(fn(x, low, high) = x, clip_fwd, clip_bwd)
print(grad(fn(x) = sum(clip_gradient(x, -1.0, 1.0) ** 2))([0.1, 3.0, -4.0]))
print(vmap(grad(fn(x) = clip_gradient(x, -0.75, 0.75) ** 3))([0.1, 3.0, -4.0]))
print(grad(fn(x) = sum(vmap(fn(v) = clip_gradient(v, -1.0, 1.0) ** 2)(x)))([0.1, 3.0, -4.0]))
print(value_and_grad(fn(x) = clip_gradient(x, -1.0, 1.0) * 5)(2.0))

# With correct rules the function has the derivatives of the function without rules, of any order, in all modes.
fn product(a, b) = sin(a) * b
fn product_bwd(residuals, g) = (g * cos(residuals.0) * residuals.1, g * sin(residuals.0))
let custom_product = custom_vjp(product, fn(a, b) = (custom_product(a, b), (a, b)), product_bwd)
let once_custom = custom_vjp(product, fn(a, b) = (product(a, b), (a, b)), product_bwd)
let a = 0.7f64
let b = 1.3f64
fn both(f) = fn(a, b) = grad(f, argnums=(0, 1))(a, b)
assert(close(stack(both(custom_product)(a, b)), stack(both(product)(a, b))))
fn second(f) = fn(a, b) = grad(fn(a, b) = grad(f)(a, b) * b, argnums=(0, 1))(a, b)
assert(close(stack(second(custom_product)(a, b)), stack(second(product)(a, b))))
assert(close(grad(grad(grad(custom_product)))(a, b), grad(grad(grad(product)))(a, b)))
assert(close(jvp(grad(once_custom), (a, b), (b, a))[1], jvp(grad(product), (a, b), (b, a))[1]))
let rows = array((0.1f64, 0.5f64, 2.0f64))
assert(close(jacfwd(grad(fn(x) = sum(once_custom(x, x))))(rows), hessian(fn(x) = sum(product(x, x)))(rows)))
fn same_gradients(f, g, x, y) {
    let (dx, dy) = grad(fn(x, y) = sum(f(x, y) ** 2), argnums=(0, 1))(x, y)
    let (ex, ey) = grad(fn(x, y) = sum(g(x, y) ** 2), argnums=(0, 1))(x, y)
    assert(close(dx, ex) and close(dy, ey))
}
same_gradients(vmap(custom_product), vmap(product), rows, 2 * rows)
same_gradients(vmap(custom_product, in_axes=(0, none)), vmap(product, in_axes=(0, none)), rows, b)
same_gradients(vmap(custom_product, in_axes=(none, 0)), vmap(product, in_axes=(none, 0)), a, rows)
assert(close(vmap(grad(custom_product), in_axes=(0, none))(rows, b), vmap(grad(product), in_axes=(0, none))(rows, b)))
assert(close(vmap(grad(custom_product), in_axes=(none, 0))(a, rows), vmap(grad(product), in_axes=(none, 0))(a, rows)))
let (y, back) = vjp(custom_product, a, b)
assert(close(y, product(a, b)) and close(back(2.0).1, 2 * sin(a)))
let over_devices = grad(fn(x) = sum(pmap(fn(v) = custom_product(v, psum(v, "d")), axis_name="d")(x)))(rows)
assert(close(over_devices, grad(fn(x) = sum(vmap(fn(v) = product(v, psum(v, "d")), axis_name="d")(x)))(rows)))

# ---- in loops and branches, and under derivatives
fn roll(f, x, n) {
    mut y = x
    for i in 0..n { y = if y > 0.5 { f(y, 0.9f64) } else { f(y, 1.8f64) + 0.1 } }
    y
}
assert(close(grad(fn(x) = roll(custom_product, x, 5))(a), grad(fn(x) = roll(product, x, 5))(a)))
assert(close(vmap(grad(fn(x) = roll(custom_product, x, 5)))(rows), vmap(grad(fn(x) = roll(product, x, 5)))(rows)))
fn scanned(f, x) = sum(scan(fn(c, v) = (f(c, v), f(v, c)), x, rows)[1])
assert(close(grad(fn(x) = scanned(custom_product, x))(a), grad(fn(x) = scanned(product, x))(a)))
fn until(f, x) {
    mut y = x
    while y < 3.0 { y = y + f(y, 1.0f64) }
    y
}
assert(close(grad(fn(x) = until(custom_product, x))(a), grad(fn(x) = until(product, x))(a)))
assert(close(vmap(grad(fn(x) = until(custom_product, x)))(rows), vmap(grad(fn(x) = until(product, x)))(rows)))
assert(close(grad(checkpoint(fn(x) = custom_product(x, x)))(a), grad(fn(x) = product(x, x))(a)))

# ---- the implicit function theorem: a loop finds a fixed point, and its iterations are not recorded
fn solve(a) {
    mut x = a
    while abs(x * x - a) > 1e-13 { x = 0.5 * (x + a / x) }
    x
}
let root = custom_vjp(
    solve,
    fn(a) { let x = root(a); (x, x) },
    fn(x, g) = (g / (2 * x),),
)
let two = 2.0f64
assert(close(grad(root)(two), 0.5 / sqrt(two)))
assert(close(grad(grad(root))(two), -0.25 * two ** -1.5))
assert(close(vmap(grad(root))(rows), 0.5 / sqrt(rows)))
assert(close(grad(fn(a) = sum(vmap(root)(a)))(rows), 0.5 / sqrt(rows)))
let root_both_ways = custom_jvp(solve, fn(p, t) { let x = root_both_ways(p.0); (x, t.0 / (2 * x)) })
assert(close(jacfwd(root_both_ways)(two), 0.5 / sqrt(two)))
assert(close(hessian(root_both_ways)(two), -0.25 * two ** -1.5))

# ---- captured values that are not differentiated, and functions defined inside of functions
fn scaled_by(k) = custom_jvp(fn(x) = k * x, fn(p, t) = (k * p.0, 3 * k * t.0))
print(grad(scaled_by(2.0))(1.0), vmap(fn(k) = grad(scaled_by(k))(1.0))([1.0, 2.0]), jit(fn(k, x) = grad(scaled_by(k))(x))(4.0, 1.0))
let weights = [1.0, 2.0]
let dotted = custom_vjp(fn(x) = sum(weights * x), fn(x) = (sum(weights * x), ()), fn(r, g) = (g * weights * 2,))
print(grad(dotted)([5.0, 5.0]), vmap(grad(dotted))(ones((2, 2))))
# A name that is local in a local function is not captured.
let applied = custom_vjp(fn(f, a) = f(a), fn(f, a) = (f(a), a), fn(a, g) = (none, 3 * a * g))
print(grad(fn(a) = applied(fn(a) = a * a, a))(2.0))
fn through_stop(x) {
    let k = stop_gradient(x)
    custom_jvp(fn(v) = k * v, fn(p, t) = (k * p.0, k * t.0))(x)
}
print(grad(through_stop)(3.0))

# A function whose arguments are all known numbers has known results; an interpreted function stays interpreted.
let half = custom_jvp(fn(n) = n // 2, fn(p, t) = (p.0 // 2, none))
print(jit(fn(x) = x + zeros(half(4)))(1.0))

# Complex numbers: rules get and return cotangents as vjp does.
let squared = custom_vjp(fn(z) = z * z, fn(z) = (z * z, z), fn(z, g) = (2 * z * g,))
let z = c128(1.5 + 0.5j)
assert(close(grad(squared, holomorphic=true)(z), 2 * z))
assert(close(grad(fn(z) = abs(squared(z)))(z), grad(fn(z) = abs(z * z))(z)))

# expect: 0.0 0.25 [0, 0]
# expect: [2, 6]
# expect: 1.0 (9.0, 0.0)
# expect: {w: 40.0, b: [1, 1]} {w: 20.0, b: [1, 1]}
# expect: 6.0
# expect: [60, 60]
# expect: 9.0 4.0
# expect: [3, 3, 3]
# expect: [0.2, 1.0, -1.0]
# expect: [0.030000001, 0.75, 0.75]
# expect: [0.2, 1.0, -1.0]
# expect: (10.0, 1.0)
# expect: 6.0 [3, 6] 12.0
# expect: [2, 4] [[2, 4], [2, 4]]
# expect: 6.0
# expect: 3.0
# expect: [1, 1]

# An effect runs for each element; the cotangent of a value that several elements share is counted once.
fn positive(a) {
    assert(a > 0.0, "positive")
    a
}
let same = custom_vjp(positive, fn(a) = (positive(a), a), fn(r, g) = (g,))
fn shared(x, y) = same(y * 3)
print(grad(fn(y) = sum(vmap(shared, in_axes=(0, none))([1.0, 2.0, 3.0], y)))(0.5))
print(grad(fn(y) = sum(vmap(fn(x, y) = same(y * x), in_axes=(0, none))([1.0, 2.0, 3.0], y)))(0.5))
# expect: 9.0
# expect: 6.0
