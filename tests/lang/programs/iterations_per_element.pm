# Loops with a different trip count for each element of a batch, under one and two reverse modes: elements that have finished keep their cotangents.
fn one(x, n) {
    mut z = x
    mut w = x + 1
    while w < n { (z, w) = (z * w, w * 1.5) }
    z
}
fn within_for(x, n) {
    mut z = x
    for k in 0..2 {
        mut w = x + 1
        while w < n { (z, w) = (z * w, w * 1.5) }
    }
    z
}
fn within_while(x, n) {
    mut z = x
    mut u = x * 0 + 1
    while u < n {
        mut w = x + 1
        while w < n { (z, w) = (z * w, w * 1.5) }
        u = u * 2
    }
    z
}
fn within_if(x, n) {
    mut z = x
    for k in 0..2 {
        if x * k < 0.65 {
            mut w = x + 1
            while w < n { (z, w) = (z * w, w * 1.5) }
        } else {
            z = z * x
        }
    }
    z
}
fn left_early(x, n) {
    mut z = x
    for k in 0..3 {
        mut w = x + 1
        while w < n {
            (z, w) = (z * w, w * 1.5)
            if z > 40 { break }
        }
        if z > 4000 { break }
    }
    z
}
let xs = f64([0.6, 0.7, 0.8])
let ns = f64([4, 7, 1])
for f in (one, within_for, within_while, within_if, left_early) {
    let apart = array((grad(grad(f))(xs[i], ns[i]) for i in (0, 1, 2)))
    let step = 1e-5
    let differences = (vmap(grad(f))(xs + step, ns) - vmap(grad(f))(xs - step, ns)) / (2 * step)
    assert(allclose(apart, differences, rtol=1e-6))
    assert(allclose(vmap(grad(grad(f)))(xs, ns), apart, rtol=1e-12))
    assert(allclose(grad(fn(x) = sum(vmap(grad(f))(x, ns)))(xs), apart, rtol=1e-12))
    assert(allclose(vmap(grad(fn(x, n) = jvp(fn(x) = f(x, n), (x,), (1f64,))[1]))(xs, ns), apart, rtol=1e-12))
    assert(allclose(jvp(fn(x) = vmap(grad(f))(x, ns), (xs,), (ones_like(xs),))[1], apart, rtol=1e-12))
    assert(allclose(jit(grad(fn(x) = sum(vmap(grad(checkpoint(f)))(x, ns))))(xs), apart, rtol=1e-12))
}
print("done")
# expect: done
