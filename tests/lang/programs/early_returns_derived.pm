# A loop with an early return updates an array. Its first and second derivatives equal those of a loop that computes its
# own trip count. (The cotangent of the exit is added to existing sums, so no iteration needs a new array.)
fn early(x, limit) {
    mut a = x
    for i in 0..len(a) {
        if a[i] > limit { return a[0] * a[i] }
        a[i] = sin(a[i]) * a[(i * 3) % len(a)]
    }
    sum(a ** 2)
}
fn counted(x, limit) {
    mut a = x
    mut turns = 0
    mut going = true
    while going {
        if turns == len(x) or a[turns % len(x)] > limit {
            going = false
        } else {
            a[turns] = sin(a[turns]) * a[(turns * 3) % len(x)]
            turns += 1
        }
    }
    if turns < len(x) { a[0] * a[turns % len(x)] } else { sum(a ** 2) }
}
fn root_early(x) {
    mut s = 0.0
    for i in 0..len(x) {
        if x[i] > 2 { return s * x[0] }
        if x[i] > 0.3 { s += sqrt(x[i] - 0.3) * x[i] }
    }
    s
}
let x = random.uniform(random.key(3), (7,), dtype=f64)
for limit in (2.0, 0.9, 0.5, 0.1) {
    let (f, g) = (fn(x) = early(x, limit), fn(x) = counted(x, limit))
    assert(allclose(f(x), g(x)))
    assert(allclose(grad(f)(x), grad(g)(x)))
    let twice = fn(f) = fn(x) = grad(fn(x) = sum(cos(grad(f)(x))))(x)
    assert(allclose(twice(f)(x), twice(g)(x)))
    assert(allclose(hvp(f, x, cos(x)), jvp(grad(f), (x,), (cos(x),)).1))
    let rows = stack((x, x[::-1], 0.5 * x))
    assert(allclose(vmap(grad(f))(rows), [grad(f)(r) for r in rows]))
    assert(allclose(grad(fn(r) = sum(sin(vmap(grad(f))(r))))(rows), [grad(fn(r) = sum(sin(grad(f)(r))))(r) for r in rows]))
}
# for either exit, the derivative of the root at 0 is not used
print(grad(root_early)(f64([0.3, 0.55, 0.2, 1.3])), grad(root_early)(f64([0.3, 0.55, 3.0, 0.3])))
# expect: [0.0, 1.05, 0.0, 1.65] [0.275, 0.315, 0.0, 0.0]
