# Residuals of loops of unknown trip count are arrays, which stay on a GPU for reverse mode.
fn close(a, b, tol=1e-5) = all(abs(a - b) <= tol * (1 + abs(b)))

fn until(x, limit) {
    mut y = x
    mut turns = 0
    while sum(y) < limit {
        y = y + y * x
        turns += 1
    }
    (sum(y), turns)
}
fn slope(x, turns) = (1 + x) ** (turns - 1) * (1 + (turns + 1) * x)
let n = 5000
let x = where(arange(n) % 2 == 0, 1.0, 0.5)
let (total, turns) = until(x, 1000000)
print(total, turns)
assert(close(grad(fn(x) = until(x, 1000000)[0])(x), slope(x, turns)))
assert(close(jit(grad(fn(x) = until(x, 1000000)[0]))(x), slope(x, turns)))

# Several tapes, which end after different numbers of iterations.
let rows = stack([x, x / 2, x / 8])
let each = vmap(fn(x) = until(x, 100000))(rows)
print(each[1])
assert(close(vmap(grad(fn(x) = until(x, 100000)[0]))(rows), vmap(slope)(rows, each[1])))
let wide = arange(300.0) / 300 + 0.1
fn above(x) {
    mut y = x
    while y < 50 { y = y * (1 + x) }
    y
}
fn by_turns(x) {
    mut y = x
    mut d = 1.0
    while y < 50 {
        d = d * (1 + x) + y
        y = y * (1 + x)
    }
    d
}
assert(close(vmap(grad(above))(wide), vmap(by_turns)(wide), 1e-4))

# Residuals of other types, and of nested loops.
for dtype in (f16, bf16, f64) {
    let y = array([1, 0.5, 0.25], dtype=dtype)
    print(grad(fn(x) = until(x, 12)[0])(y))
}
fn nested(x) {
    mut y = x
    while sum(y) < 3000 {
        mut z = y
        while max(z) < 2 { z = z * (1 + x) }
        y = y + z * x
    }
    sum(y * y)
}
let h = 1e-6f64
let p = 0.5 + arange(200.0f64) / 400
let moved = grad(nested)(p)
let numeric = (nested(p + h * (arange(200) == 7)) - nested(p - h * (arange(200) == 7))) / (2 * h)
assert(close(moved[7], numeric, 1e-5))
print(hessian(fn(x) = until(x, 3)[0])([0.5, 0.25]))

# A tape that is read twice; tapes on devices.
fn twice(x) {
    let (y, back) = vjp(fn(x) = until(x, 1000)[0], x)
    back(1.0f32)[0] + 2 * back(1.0f32)[0]
}
assert(close(twice(x[:100]), 3 * slope(x[:100], until(x[:100], 1000)[1])))
assert(close(pmap(grad(fn(x) = until(x, 100000)[0]))(rows), vmap(slope)(rows, each[1])))

# expect: 1328054.2 9
# expect: [6, 11, 49]
# expect: [48.0, 11.81, 4.395]
# expect: [48.0, 11.8, 4.38]
# expect: [48.0, 11.8125, 4.39453125]
# expect: [[40.5, 0.0], [0.0, 20.3125]]
