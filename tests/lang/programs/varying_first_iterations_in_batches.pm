# Carried values whose initial value alone depends on the batch differ between elements in the first iterations, and are
# equal after the last. Also under a condition that is true for some elements, but not for the first.
# configs: compiled evaluate mixed-3
let xs = array([-1.0, 2.0, -3.0, 0.5])
fn near(name, f) {
    let batched = vmap(f, in_axes=(0, none))
    let due = [f(x, 3.0) for x in xs]
    assert(allclose(batched(xs, 3.0), due), "{name}: {batched(xs, 3.0)}, expected {due}")
    let slopes = [grad(f)(x, 3.0) for x in xs]
    assert(allclose(vmap(grad(f), in_axes=(0, none))(xs, 3.0), slopes), "{name}: slopes")
    let sums = grad(fn(x, w) = sum(batched(x, w)), argnums=(0, 1))(xs, 3.0)
    assert(allclose(sums[0], slopes), "{name}: {sums[0]}, expected {slopes}")
    let by_w = sum([grad(f, argnums=1)(x, 3.0) for x in xs])
    assert(allclose(sums[1], by_w), "{name}: {sums[1]}, expected {by_w}")
}
## A loop with a data-dependent trip count; under a mask it may have no iteration.
fn halved(y) {
    mut h = y
    while h > 0.3 { h = h / 2 }
    h
}
fn replaced(x, w) {
    mut y = x
    for k in 0..3 { y = w * (k + 1) }
    y
}
fn handed_on(x, w) {
    mut (a, b, c) = (x, x, x)
    for k in 0..3 { (a, b, c) = (halved(b), sqrt(abs(c)), w) }
    a + b * c
}
fn two_turns(x, w) {
    mut (a, b) = (x, x)
    for k in 0..2 { (a, b) = (log(b * b), w) }
    a * b
}
fn within(x, w) {
    mut z = x
    for j in 0..3 {
        mut (a, b) = (z, x)
        for k in 0..2 { (a, b) = (halved(b), w * j) }
        z = z + a * b
    }
    z
}
for f in (replaced, handed_on, two_turns, within) {
    near("alone", f)
    near("in a branch", fn(x, w) = if x > 0 { f(x, w) } else { x * w })
    near("in either", fn(x, w) = if x > 0 { x * f(x, w) } else { f(w, w) - x })
    near("in turns of its own", fn(x, w) {
        mut y = x
        while y < 4 { y = y + 1 + 0.1 * f(y, w) ** 2 }
        y
    })
}
# the results are known to be equal for all elements
assert(vmap(replaced, in_axes=(0, none), out_axes=none)(xs, 2.0) == 6.0)
assert(vmap(two_turns, in_axes=(0, none), out_axes=none)(xs, 1.0) == 0.0)
# a batch of no elements
fn settled(x) {
    mut y = x
    for k in 0..3 { y = psum(y, "i") + k }
    y
}
print(vmap(settled, axis_name="i")(zeros(0)).shape)
# expect: (0,)
