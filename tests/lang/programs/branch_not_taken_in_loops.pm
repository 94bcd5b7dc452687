# The derivative of a branch that is not taken does not pass through a loop. Each program is compared with itself with
# `safe` roots, as programs for JAX need them: `safe` applies the condition before the root and after it.
fn safe(x) = where(x > 0, sqrt(where(x > 0, x, 1)), 0)
let x = f64([0.0, 4.0, 1.0, 0.0])
let v = f64([0.3, -0.2, 0.5, 0.7])
fn holds(f) {
    let (a, b) = (fn(x) = f(x, sqrt), fn(x) = f(x, safe))
    fn again(f) = fn(x) = sum(v * grad(f)(x))
    allclose(grad(a)(x), grad(b)(x)) and allclose(jit(grad(a))(x), grad(b)(x)) and allclose(hvp(a, x, v), hvp(b, x, v)) and (
        allclose(grad(again(a))(x), grad(again(b))(x))
    ) and allclose(vmap(grad(a))(stack((x, x[::-1]))), vmap(grad(b))(stack((x, x[::-1])))) and (
        allclose(grad(fn(x) = sum(vmap(a)(stack((x, x[::-1])))))(x), grad(fn(x) = sum(vmap(b)(stack((x, x[::-1])))))(x))
    ) and allclose(grad(checkpoint(a))(x), grad(b)(x)) and grad(a)(x)[0] == grad(b)(x)[0]
}

# The masked value is a carried value of a `for`, of a `while`, or of a loop with a break.
fn carried(x, root) {
    mut y = x
    for i in 0..3 { y = root(y) }
    sum(where(x > 0, y, x))
}
fn recorded(x, root) {
    mut y = x
    mut n = 0
    while n < 3 {
        y = root(y)
        n += 1
    }
    sum(where(x > 0, y, x))
}
fn one_scalar(x, root) {
    mut y = x
    mut n = 0
    while n < 3 {
        y = root(y)
        n += 1
    }
    where(min(x) > 0, sum(y), sum(x * x))
}
fn left(x, root) {
    mut y = x
    for i in 0..5 {
        if sum(y) < 4.0 { break }
        y = root(y)
    }
    sum(where(x > 0, y, 0.0))
}
print(holds(carried), holds(recorded), holds(one_scalar), holds(left))
# expect: true true true true
print(grad(fn(x) = carried(x, sqrt))(x), grad(fn(x) = carried([x], sqrt))(0.0))
# expect: [1.0, 0.03716272234383503, 0.125, 1.0] 1.0

# A condition in the body, on a value of the previous iteration, a value from before the loop, a slice, or the index.
fn of_turns(x, root) {
    mut y = x
    for i in 0..3 { y = where(y > 0, root(y), 0.0) + i * x }
    sum(y)
}
fn made_before(x, root) {
    let a = root(x)
    mut s = 0.0 * x
    for i in 0..3 { s += where(x > i, a * i, x) }
    sum(s)
}
fn elements(x, root) {
    let a = root(x)
    mut s = 0.0f64
    for i in 0..4 { if x[i] > 0 { s += a[i] * a[i] + a[i] } }
    s
}
fn each(x, root) {
    let a = root(x)
    mut s = 0.0f64
    for i in 0..4 { s += where(x[i] > 0, a[i], 0.0) }
    s
}
fn some_turns(x, root) {
    let a = root(x)
    mut s = sum(x)
    for i in 0..4 { if s > 9.0 { s += sum(a) } else { s += x[1] } }
    s
}
fn some_turns_of_while(x, root) {
    let a = root(x)
    mut y = 1 + 0.0 * x
    mut n = 0
    while n < 3 {
        y = where(x > n, a * y, y)
        n += 1
    }
    sum(y)
}
print(holds(of_turns), holds(made_before), holds(elements), holds(each), holds(some_turns_of_while))
# expect: true true true true true
print(grad(fn(x) = some_turns(x, sqrt))(0 * x), grad(fn(x) = elements(x, sqrt))(x))
# expect: [1, 5, 1, 1] [0.0, 1.25, 1.5, 0.0]

# Loops with slices and stacked outputs, with updates in place, nested loops, and loops in functions.
fn stacked(x, root) {
    let (c, ys) = scan(fn(c, e) = (c + e, root(e) * 2), 0.0f64, x)
    c + sum(where(x > 0, ys, 0.0))
}
fn slices(x, root) {
    let (c, _) = scan(fn(c, e) = (if e > 0 { c + e } else { c }, none), 0.0f64, root(x))
    c
}
fn updated(x, root) {
    mut ys = 0 * x
    for i in 0..4 { ys[i] = root(x[i]) }
    sum(where(x > 0, ys, 0.0))
}
fn mapped(x, root) = sum(where(x > 0, map(root, x), x)) + sum(map(fn(e) = where(e > 0, root(e), 0.0), x))
fn inner(y, root) {
    mut y = y
    for i in 0..2 { y = root(y) + 0.1 * y }
    y
}
fn nested(x, root) {
    mut s = x
    let a = root(x)
    for i in 0..3 {
        let y = inner(s, root)
        mut n = 0
        mut z = a
        while n < 2 {
            z = where(x > 0, z * a, 0.0)
            n += 1
        }
        s = where(s > 0, y + z, s)
    }
    sum(where(s > 0, inner(s, root), s))
}
print(holds(stacked), holds(slices), holds(updated), holds(mapped), holds(nested))
# expect: true true true true true

# In a branch with a condition per element: products, gathers and scatters, sums along an axis, padding.
let w = f64([[1, 2, 3, 4], [0, 1, 0, 1], [2, 1, 0, 0], [1, 1, 1, 1]])
let rows = f64([[0.0, 0.0, 0.0, 0.0], [1.0, 4.0, 9.0, 16.0]])
fn gathered(x, root) = sum(where(f64([4, 0, 1]) > 0, root(x)[[1, 3, 2]], 0.0))
fn scattered(x, root) {
    mut ys = x
    ys[[1, 0]] = root(x[[0, 2]])
    sum(where([true, false, true, true], ys, 0.0))
}
fn summed(x, root) = sum(where(x < 0, cumsum(root(x)), 2 * x))
fn padded(x, root) = sum(where(pad(x, 1) > 0, pad(root(x), 1), 2.0))
print(holds(gathered), holds(scattered), holds(summed), holds(padded))
# expect: true true true true
# Only the second row gets a cotangent.
print(grad(fn(r) = sum(where(f64([[0], [1]]) > 0, sqrt(r) @ w, 1.0)))(rows))
# expect: [[0.0, 0.0, 0.0, 0.0], [5.0, 0.5, 0.5, 0.5]]

# Two elements of one value are used under separate conditions.
fn two(x, root) {
    let a = root(x)
    where(x[0] > 0, a[0], 0.0) + where(x[1] > 0, a[1], 0.0) + (if x[3] > 0 { a[3] } else { a[2] })
}
print(holds(two))
# expect: true

# Elements of a batch that do not take a branch run it on substitutes without poles; otherwise the second derivative
# would be NaN. (The count of the mean is a residual of the taken branch only.)
fn mean_of_product(x, y) {
    if y < 0.7 { return 0.0 }
    mean((y * [1.0, 1.0]) @ x)
}
fn of_logarithm(x, y) = if y <= 0.7 { 0.0 } else { sum([log(y - 0.7), 1 / (y - 0.7)] @ x) }
for loss in (mean_of_product, of_logarithm) {
    let batch = vmap(grad(loss, argnums=1))
    for y in ([0.4, 0.5], [0.4, 0.7], [0.9, 0.2]) {
        let x = [[[-0.9], [0.1]], [[0.5], [2.0]]]
        let slope = grad(fn(a) = sum(sin(batch(a, y))))(x)
        let alone = [grad(fn(a) = sin(grad(loss, argnums=1)(a, y[i])))(x[i]) for i in 0..2]
        assert(allclose(slope, alone))
    }
}

# The mask of a cotangent that is not used before the loop is passed to another carried cotangent.
fn overwritten(x) {
    mut m = 0.5
    for _ in 0..1 {
        if all([false]) { } else { m = sum(sin(x.c)) }
        for _ in 0..1 {
            for _ in x.c { m = x.b }
            if m > 0.83 { continue }
        }
    }
    exp(-m * m)
}
let several = {b: [1.0, 2.0, 0.5], c: [[1.0], [2.0], [3.0]]}
let slopes = grad(fn(a) = sum(tree.leaves(vmap(grad(overwritten))(a)).0))(several)
assert(allclose(slopes.b, (4 * several.b ** 2 - 2) * exp(-several.b ** 2)) and all(slopes.c == 0))
print("mended")
# expect: mended
