# Loops whose trip count is computed from the differentiated value, under derivatives of several orders: the count has no derivative, and outer derivatives do not need it.
fn close(a, b) = tree.all(tree.map(fn(x, y) = max(abs(x - y)) <= 1e-12 + 1e-10 * max(abs(y)), a, b))
fn loss(x, y) {
    mut s = y
    for k in 0..(i32(floor(3 * x)) % 4) { s = s * x }
    s
}
let (x, y) = (0.7f64, 0.3f64) # two iterations, so the result is y x^2
fn of_x(x) = loss(x, y)
assert(close(grad(loss, argnums=(0, 1))(x, y), (2 * x * y, x * x)))
assert(close(grad(fn(x, y) = grad(loss)(x, y), argnums=(0, 1))(x, y), (2 * y, 2 * x)))
assert(close(hessian(of_x)(x), 2 * y))
assert(close(grad(grad(grad(of_x)))(x), 0f64))
assert(close((jacfwd(jacrev(of_x))(x), jacrev(jacfwd(of_x))(x)), (2 * y, 2 * y)))

# The inner derivative is with respect to z; the trip count depends on x.
fn power(x, z) {
    mut s = z * z
    for k in 0..i32(2 * x) { s = s * x }
    s
}
fn slope(x) = grad(fn(z) = power(x, z))(3.0f64) # the derivative is 6 x^n
assert(close(grad(slope)(1.6f64), 18 * 1.6f64 ** 2))
assert(close(vmap(grad(slope))([0.7f64, 1.6f64, 2.2f64]), [6f64, 18 * 1.6f64 ** 2, 24 * 2.2f64 ** 3]))
assert(close(grad(fn(x) = sum(vmap(grad(fn(z) = power(x, z)))(3.0f64 * ones((2,), f64))))(1.6f64), 36 * 1.6f64 ** 2))
assert(close((slope(1.6f64), slope(1.7f64), jit(grad(slope))(1.6f64)), (6 * 1.6f64 ** 3, 6 * 1.7f64 ** 3, 18 * 1.6f64 ** 2)))
let (value, pull) = vjp(slope, 1.6f64)
assert(close((value, pull(1.0f64)), (6 * 1.6f64 ** 3, (18 * 1.6f64 ** 2,))))

# One variable holds the residuals of two branches: numbers of one branch, conditions of the other branch.
fn sides(x, first) {
    if first {
        mut n = 0
        while n < 1 {
            n += 1
            if x > 0 { return tanh(x) }
        }
    } else {
        for k in 0..(i32(floor(3 * x)) % 4) {
            for l in reversed(0..1) {
                if x > 0 { return x ** 3 }
            }
        }
    }
    x - x
}
for (first, second, third) in ((true, -2 * tanh(x) * (1 - tanh(x) ** 2), -2 * (1 - tanh(x) ** 2) * (1 - 3 * tanh(x) ** 2)), (false, 6 * x, 6f64)) {
    let f = fn(x, w) = sides(x, any([first]) and w > 0)
    assert(close(grad(grad(f))(x, x), second))
    assert(close(grad(grad(grad(f)))(x, x), third))
    assert(close(jvp(grad(fn(x) = grad(f)(x, x)), (x,), (1f64,)), (second, third)))
}
# The trip count comes from a slice of a surrounding vmap or pmap: no caller can know it.
fn repeated(x, y) {
    mut t = y
    for k in 0..(i32(floor(3 * x)) % 4) { t = x * t * t }
    t
}
let counts = [0.2f64, 0.4f64, 0.8f64, 1.2f64]
let by_y = grad(repeated, argnums=1)
let wanted = [by_y(x, 0.7f64) for x in counts] # compiled separately for each trip count
assert(close(wanted, [1.0f64, 0.4f64 * 1.4f64, 4 * 0.8f64 ** 3 * 0.7f64 ** 3, 8 * 1.2f64 ** 7 * 0.7f64 ** 7]))
assert(close(vmap(by_y, in_axes=(0, none))(counts, 0.7f64), wanted))
assert(close(pmap(by_y, in_axes=(0, none))(counts[2:3], 0.7f64), wanted[2:3]))
assert(close(vmap(fn(x) = jit(by_y)(x, 0.7f64))(counts), wanted))
assert(close(jit(by_y)(1.2f64, 0.7f64), wanted[3]))
assert(close(vmap(grad(by_y, argnums=1), in_axes=(0, none))(counts, 0.7f64), [grad(by_y, argnums=1)(x, 0.7f64) for x in counts]))
assert(close(grad(fn(y) = sum(vmap(repeated, in_axes=(0, none))(counts, y)))(0.7f64), sum(wanted)))
print("done")
# expect: done
