# The gradient of a pmap with collectives under a condition that is equal on all devices.
# devices: 1 2 4
fn f(x) {
    let s = psum(x, "i")
    if s > 0 { x + pmean(x * s, "i") } else { x }
}
print(grad(fn(x) = sum(pmap(f, axis_name="i")(x)))([1.0, 2.0]))
# expect: [7, 7]
print(grad(fn(x) = sum(vmap(f, axis_name="i")(x)))([1.0, 2.0]))
# expect: [7, 7]
fn blocks(x) {
    let s = psum(sum(x), "i")
    if s > 0 { x + pmean(x * s, "i") } else { x }
}
print(grad(fn(x) = sum(pmap(blocks, axis_name="i", tiled=true, axis_size=2)(x)))([1.0, 2.0, 3.0, 4.0]))
# expect: [21, 21, 21, 21]
fn until(x) {
    mut t = x
    for k in 0..4 {
        if psum(t, "i") > 10.0 { break }
        t = t + pmean(t, "i") * 0.5
    }
    t
}
print(pmap(until, axis_name="i")([1.0, 2.0]))
# expect: [4.5625, 5.5625]
print(grad(fn(x) = sum(pmap(until, axis_name="i")(x)))([1.0, 2.0]))
# expect: [3.375, 3.375]
print(jacfwd(fn(x) = sum(pmap(until, axis_name="i")(x)))([1.0, 2.0]))
# expect: [3.375, 3.375]
# A value from outside of the pmap is equal on all devices: its cotangents are summed once.
fn scaled(w, x) {
    let c = exp(w)
    if c > 1.0 { psum(c * x * w, "i") } else { x }
}
print(grad(fn(w) = sum(pmap(scaled, axis_name="i", in_axes=(none, 0))(w, [1.0, 2.0])))(1.0))
# expect: 32.61938
print(grad(grad(fn(w) = sum(pmap(scaled, axis_name="i", in_axes=(none, 0))(w, [1.0, 2.0]))))(1.0))
# expect: 48.92907
