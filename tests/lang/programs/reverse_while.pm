# Reverse mode through loops whose trip count is unknown before they run.
fn close(a, b, tol=1e-9) = all(abs(a - b) <= tol * (1 + abs(b)))

fn newton(a) {
    mut x = a
    while abs(x * x - a) > 1e-12 { x = 0.5 * (x + a / x) }
    x
}
let two = 2.0f64
assert(close(grad(newton)(two), 0.5 / sqrt(two)))
assert(close(grad(grad(newton))(two), -0.25 * two ** -1.5))
assert(close(grad(grad(grad(newton)))(two), 0.375 * two ** -2.5, 1e-6))
assert(close(jvp(grad(newton), (two,), (1.0f64,))[1], -0.25 * two ** -1.5))

# Each element of a batch has a separate trip count.
let several = array((2.0f64, 900.0f64, 0.01f64))
let slopes = 0.5 / sqrt(several)
assert(close(vmap(grad(newton))(several), slopes))
assert(close(grad(fn(x) = sum(vmap(newton)(x)))(several), slopes))
assert(close(vmap(grad(grad(newton)))(several), -0.25 * several ** -1.5, 1e-6))
assert(close(grad(fn(x) = sum(vmap(grad(newton))(x)))(several), -0.25 * several ** -1.5, 1e-6))
assert(close(diag(hessian(fn(x) = sum(vmap(newton)(x)))(several)), -0.25 * several ** -1.5, 1e-6))
assert(close(jit(fn(x) = vmap(grad(newton))(x))(several), slopes))

# A loop without iterations, and a loop with many iterations.
fn halvings(x) {
    mut x = x
    while x > 1.0 { x = x / 2 }
    x
}
print(grad(halvings)(0.5), grad(halvings)(5.0), vmap(grad(halvings))([0.5, 5.0, 1000.0]))
fn long_sum(x, n) {
    mut s = 0.0f64
    mut i = 0
    while i < n[0] {
        s = s + sin(x * i)
        i += 1
    }
    s
}
let n = 100000
let angles = arange(f64(n))
assert(close(grad(long_sum)(0.1f64, [n]), sum(angles * cos(0.1f64 * angles)), 1e-8))

# Arrays that are carried, updated in place, and read before and after the update.
fn cascade(x) {
    mut y = x
    mut i = 0
    while i < len(y) - 1 and y[i] < 100 {
        y[i + 1] = y[i] * y[i + 1]
        i += 1
    }
    sum(y)
}
let row = array((2.0f64, 3.0f64, 4.0f64, 50.0f64, 7.0f64))
fn cascade_of(x) = x[0] + x[0] * x[1] + x[0] * x[1] * x[2] + x[0] * x[1] * x[2] * x[3] + x[4]
assert(close(grad(cascade)(row), grad(cascade_of)(row)))
assert(close(hessian(cascade)(row), hessian(cascade_of)(row)))

# Loops in loops, branches and scans; early exits; loop-invariant values are stored once.
fn nested(x, w) {
    mut t = x
    mut turns = 0
    while turns < 3 {
        mut u = t
        while u > 1 { u = u * w }
        t = t + u * u
        turns += 1
    }
    t
}
fn nested_known(x, w) {
    mut t = x
    for _ in 0..3 {
        mut u = t
        for _ in 0..40 { if u > 1 { u = u * w } }
        t = t + u * u
    }
    t
}
assert(close(grad(nested, argnums=(0, 1))(5.0f64, 0.6f64)[0], grad(nested_known, argnums=(0, 1))(5.0f64, 0.6f64)[0]))
assert(close(grad(nested, argnums=(0, 1))(5.0f64, 0.6f64)[1], grad(nested_known, argnums=(0, 1))(5.0f64, 0.6f64)[1]))
assert(close(grad(grad(nested, argnums=1), argnums=0)(5.0f64, 0.6f64), grad(grad(nested_known, argnums=1), argnums=0)(5.0f64, 0.6f64)))
let starts = array((5.0f64, 0.5f64, 30.0f64))
assert(close(vmap(grad(nested, argnums=1), in_axes=(0, none))(starts, 0.6f64), vmap(grad(nested_known, argnums=1), in_axes=(0, none))(starts, 0.6f64)))
fn of_scan(w) {
    mut all = 0.0f64
    for x in [3.0f64, 0.5f64, 20.0f64] { all = all + nested(x, w) * w }
    all
}
fn of_scan_known(w) {
    mut all = 0.0f64
    for x in [3.0f64, 0.5f64, 20.0f64] { all = all + nested_known(x, w) * w }
    all
}
assert(close(grad(of_scan)(0.6f64), grad(of_scan_known)(0.6f64)))
assert(close(grad(grad(of_scan))(0.6f64), grad(grad(of_scan_known))(0.6f64)))
fn guarded(x) = if x > 0 { newton(x) } else { x * x }
assert(close(vmap(grad(guarded))(array((4.0f64, -3.0f64))), array((0.25f64, -6.0f64))))
assert(close(grad(guarded)(-3.0f64), -6.0))
fn first_above(x) {
    mut y = x
    while true {
        y = y * x
        if y > 50 { return y }
        y = y + 1
    }
    y
}
print(grad(first_above)(3.0), jvp(first_above, (3.0,), (1.0,)))

# The bound of a `for` may be an element of an array, and may exceed 32 bits.
fn power(x, turns) {
    mut s = 1.0
    for _ in 0..turns[0] { s = s * x }
    s
}
print(grad(power)(3.0, [4]), grad(power)(3.0, [0]), vmap(grad(power))([3.0, 2.0], [[2], [5]]))
let far = 3000000000i64
fn shifted(x, to) {
    mut s = x
    for i in far..to[0] { s = s * (i - far + 1) }
    s
}
print(grad(shifted)(2.0, [far + 4]))

# Loops that carry complex numbers.
fn spiral(z) {
    mut w = z
    while abs(w) < 100 { w = w * z + 1 }
    real(w) + 2 * imag(w)
}
fn spiral_known(z) {
    mut w = z
    for _ in 0..20 { if abs(w) < 100 { w = w * z + 1 } }
    real(w) + 2 * imag(w)
}
let z = c128(1.5 + 1j)
assert(close(grad(spiral)(z), grad(spiral_known)(z)))
let zs = array((c128(1.5 + 1j), c128(2j), c128(-3.0)))
assert(close(vmap(grad(spiral))(zs), vmap(grad(spiral_known))(zs)))
assert(close(grad(fn(z) = sum(vmap(spiral)(z)))(zs), vmap(grad(spiral_known))(zs)))

# vjp and linearize; a pullback is used twice.
let (value, pull) = vjp(newton, two)
assert(close(pull(1.0f64)[0], 0.5 / sqrt(two)) and close(pull(3.0f64)[0], 1.5 / sqrt(two)))
let (_, push) = linearize(newton, two)
assert(close(push(2.0f64), 1 / sqrt(two)) and close(push(2.0f64), push(2.0f64), 0))
assert(close(jacrev(fn(a) = vmap(newton)(a))(several), jacfwd(fn(a) = vmap(newton)(a))(several)))

# An iteration that an element does not execute adds nothing to the element's derivative, also with calls and branches.
fn size(x) = sqrt(sum(x * x))
fn settled(x) {
    mut y = x
    mut gap = 1.0f64
    while gap > 0 {
        let next = if y[0] > 0.2 { y / 2 } else { y }
        gap = size(next - y)
        y = where(gap > 0.3, next * (1 - 0.1 * sin(gap)), next)
    }
    sum(y)
}
let points = array(((3.0f64, 9.0f64), (0.5f64, 0.25f64), (1.5f64, 1.0f64)))
assert(close(grad(fn(x) = sum(vmap(settled)(x)))(points), vmap(grad(settled))(points)) and all(isfinite(vmap(grad(settled))(points))))

# Second derivatives of elements with separate trip counts. One more iteration would divide by zero.
fn parts(x) {
    mut y = x
    mut r = 2.0f64
    while r > 0 {
        y = abs(where(y < 100, y * (1 + x / r), y) + sqrt(r))
        r = r - x
    }
    y
}
let steps = array((1.0f64, 0.25f64))
let curves = vmap(grad(grad(parts)))(steps)
assert(all(isfinite(curves)))
assert(close(grad(fn(x) = sum(vmap(grad(parts))(x)))(steps), curves))
assert(close(vmap(hessian(parts))(steps), curves) and close(diag(hessian(fn(x) = sum(vmap(parts)(x)))(steps)), curves))
assert(close(vmap(grad(grad(grad(parts))))(steps), grad(fn(x) = sum(vmap(grad(grad(parts)))(x)))(steps)))

# Effects happen once, and a failed check in an iteration is reported.
fn told(x) {
    mut y = x
    while y < 10 {
        print("at {y:.1f}")
        y = y * 2
    }
    y
}
print(grad(told)(3.0))

# The memory of an iteration is released: a hundred thousand iterations fit into a small memory.
fn train(w) {
    mut w = w
    for _ in 0..20000 { w = w - 0.01 * (grad(fn(w) = (newton(w * w + 1) - 2) ** 2)(w)) }
    w
}
assert(close(train(1.0f64), sqrt(3.0f64), 1e-6))

# expect: 1.0 0.125 [1.0, 0.125, 0.0009765625]
# expect: 115.0 (93.0, 115.0)
# expect: 108.0 0.0 [6, 80]
# expect: 24.0
# expect: at 3.0
# expect: at 6.0
# expect: 4.0

# A trip count is computed from the differentiated value or by an outer loop: residuals of iterations are recorded.
fn by_argument(y) {
    mut s = y
    for i in 0..(i32(floor(3 * y)) % 4) { s = sin(s) + y }
    s
}
print(abs(grad(by_argument)(0.7f64) - grad(fn(y) { mut s = y; for i in 0..2 { s = sin(s) + y }; s })(0.7f64)) < 1e-12)
# expect: true
fn triangle(y) {
    mut s = y
    for i in 0..argmax([0.1, 0.2, 0.3, 0.4]) {
        for j in 0..i { s = sin(s) + y }
    }
    s
}
fn triangle_known(y) {
    mut s = y
    for i in 0..3 { s = sin(s) + y }
    s
}
print(abs(grad(triangle)(0.7f64) - grad(triangle_known)(0.7f64)) < 1e-12, abs(grad(grad(triangle))(0.7f64) - grad(grad(triangle_known))(0.7f64)) < 1e-12)
# expect: true true
# Iterations that are equal on all devices, also for second derivatives.
fn alike(y) = pmap(fn(x) = psum(while_loop(fn(s) = s.0 < 2 and s.1 < 9, fn(s) = (s.0 + 1, sin(s.1)), (0, y)).1, "i"), axis_name="i", out_axes=none)([0.3f64, 0.4f64])
fn alone(y) = 2 * sin(sin(y))
print(abs(grad(alike)(0.5f64) - grad(alone)(0.5f64)) < 1e-12, abs(grad(grad(alike))(0.5f64) - grad(grad(alone))(0.5f64)) < 1e-12)
# expect: true true
