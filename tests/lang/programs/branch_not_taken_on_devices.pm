# The derivative of a branch that is not taken does not pass into a pmap, out of a pmap, or to other devices.
# devices: 1 2
let x = f64([0.0, 4.0])
# A result of a pmap, and values from before the pmap of which each device gets a part or the whole.
print(grad(fn(x) = sum(where(x > 0, pmap(fn(v) = sqrt(v))(x), 0.0)))(x))
# expect: [0.0, 0.25]
fn parts(x) = sum(pmap(fn(v, b) = where(v > 0, b, 0.0))(x, sqrt(x)))
fn all_of_it(x) {
    let a = sqrt(x)
    sum(pmap(fn(v, i) = if v > 0 { a[i] } else { 0.0 })(x, [0, 1]))
}
fn tiles(x) {
    let a = sqrt(x)
    sum(pmap(fn(v) = where(v > 0, a[1:] * v, 0.0), tiled=true)(f64([-1.0, 2.0])))
}
print(grad(parts)(x), grad(all_of_it)(x), grad(tiles)(x))
# expect: [0.0, 0.25] [0.0, 0.25] [0.0, 0.5]
print(hvp(parts, x, x), grad(fn(x) = sum(x * grad(all_of_it)(x)))(x), vmap(grad(parts))(stack((x, x[::-1]))))
# expect: [0.0, -0.125] [0.0, 0.125] [[0.0, 0.25], [0.25, 0.0]]
fn shape_of_rows(x) = sum(pmap(fn(r) {
    mut y = r
    for i in 0..2 { y = sqrt(y) }
    where(r > 0, y, 0.0)
}, in_axes=1, out_axes=1)(x))
print(grad(shape_of_rows)(f64([[0.0, 1.0], [16.0, 0.0]])))
# expect: [[0.0, 0.25], [0.03125, 0.0]]

# Collectives: a device's cotangent counts if it counts on at least one device to which the value was sent.
fn total(x) = where(x > 0, psum(sqrt(x), "i"), 0.0)
print(pmap(grad(total), axis_name="i")(x), pmap(grad(total), axis_name="i")(0 * x), pmap(grad(total), axis_name="i")(x + 1))
# expect: [inf, 0.25] [0, 0] [1.0, 0.4472135954999579]
fn total_of_each(x) = sum(where(x > 0, psum(sqrt(x), "i"), 0.0))
print(pmap(grad(total_of_each), axis_name="i")(f64([[0.0, 4.0], [0.0, 1.0]])))
# expect: [[0.0, 0.5], [0.0, 1.0]]
fn sent(x) = where(ppermute(x, "i", ((0, 1), (1, 0))) > 0, ppermute(sqrt(x), "i", ((0, 1), (1, 0))), 0.0)
fn gathered(x) {
    let all = all_gather(sqrt(x), "i")
    sum(where(all > 0, all, 0.0))
}
print(pmap(grad(sent), axis_name="i")(x), pmap(grad(gathered), axis_name="i")(x))
# expect: [0.0, 0.25] [0.0, 0.5]
let rows = f64([[0.0, 4.0], [0.0, 9.0]])
fn scattered(x) {
    let own = psum_scatter(sqrt(x), "i")
    where(own > 0, own, 0.0)
}
fn exchanged(x) {
    let own = all_to_all(sqrt(x), "i", 0, 0)
    sum(where(own > 0, own, 0.0))
}
print(pmap(grad(scattered), axis_name="i")(rows))
# expect: [[0.0, 0.25], [0.0, 0.16666666666666666]]
print(pmap(grad(exchanged), axis_name="i")(rows))
# expect: [[0.0, 0.25], [0.0, 0.16666666666666666]]
# A pmap whose branches are in loops or called functions, or use a value from outside of the pmap.
fn in_turns(x) {
    let a = sqrt(x)
    mut s = 0.0 * x
    for k in 0..3 { s = s + where(x > k, psum(a, "i"), 0.0) }
    s
}
fn called(a) = psum(a * 2, "i")
fn in_call(x) {
    let a = sqrt(x)
    where(x > 5, called(a), x)
}
print(pmap(grad(in_turns), axis_name="i")(x), pmap(grad(in_turns), axis_name="i")(0 * x), pmap(grad(in_call), axis_name="i")(x))
# expect: [inf, 0.75] [0, 0] [1, 1]
fn from_outside(x) {
    let a = sqrt(x)
    sum(pmap(fn(v) = where(v > 0, psum(v * a, "i"), 0.0), axis_name="i")(f64([-1.0, -2.0]))) + sum(x)
}
print(grad(from_outside)(x), grad(from_outside)(0.0f64))
# expect: [1, 1] 1.0
