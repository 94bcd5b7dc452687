# A collective over several axes equals a collective over one axis with the product of their sizes; the first axis is
# the slowest. Each axis may be the axis of a vmap, at any position.
# devices: 3
fn close(a, b) = a.shape == b.shape and a.dtype == b.dtype and allclose(a, b, rtol=1e-5, atol=1e-5)
let names = ("a", "b", "c")
let sizes = (3, 2, 2)

fn mesh(maps, f) {
    let (first, second, third) = maps
    first(fn(x) = second(fn(y) = third(f, axis_name="c")(y), axis_name="b")(x), axis_name="a")
}
fn on_one_axis(order, f) = fn(x) {
    let flat = transpose(x, (order[0], order[1], order[2], 3, 4))
    let made = vmap(f, axis_name="k")(flat.reshape((12, 12, 24)))
    let back = made.reshape((sizes[order[0]], sizes[order[1]], sizes[order[2]], *made.shape[1:]))
    moveaxis(back, (0, 1, 2), order)
}

let rotated = ((i, (i + 1) % 12) for i in range(12))
let crossed = ((i, (5 * i + 3) % 12) for i in range(12))
let some = ((0, 11), (3, 0), (7, 4), (4, 7), (10, 10))
let kinds = (
    fn(x, over) = all_gather(x, over),
    fn(x, over) = all_gather(x[:2, :3], over, axis=1),
    fn(x, over) = all_gather(x[:2, :3], over, axis=1, tiled=true),
    fn(x, over) = psum_scatter(x, over),
    fn(x, over) = psum_scatter(x, over, scatter_dimension=1, tiled=true),
    fn(x, over) = ppermute(x, over, rotated),
    fn(x, over) = ppermute(x, over, crossed),
    fn(x, over) = ppermute(x, over, some),
    fn(x, over) = ppermute(x, over, ()),
    fn(x, over) = all_to_all(x, over, 0, 1),
    fn(x, over) = all_to_all(x, over, 1, 0, tiled=true),
    fn(x, over) = all_to_all(x, over, 0, 0, tiled=true),
    fn(x, over) = psum(x, over) + pmax(x, over) * pmin(x, over),
    fn(x, over) = pshuffle(x, over, (11, 3, 5, 7, 9, 1, 0, 2, 4, 6, 8, 10)) + pbroadcast(x, over, 7),
    # values equal on all devices
    fn(x, over) = all_gather(ones((2,)), over).sum() * x + psum_scatter(ones((12,)), over),
)
let x = random.normal(random.key(1), (*sizes, 12, 24))
let dx = random.normal(random.key(2), x.shape)
let all_maps = ((vmap, vmap, vmap), (pmap, vmap, vmap), (vmap, pmap, vmap), (vmap, vmap, pmap), (pmap, vmap, pmap), (pmap, pmap, vmap))
let orders = ((0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0))
for (number, maps) in enumerate(all_maps) {
    let order = orders[number]
    let over = (names[order[0]], names[order[1]], names[order[2]])
    for (which, kind) in enumerate(kinds) {
        let here = mesh(maps, fn(v) = kind(v, over))
        let there = on_one_axis(order, fn(v) = kind(v, "k"))
        let (y, pull) = vjp(here, x)
        let (same, pull_same) = vjp(there, x)
        assert(close(y, same), "value of {which} over {over}")
        let ct = random.normal(random.key(3), y.shape)
        assert(close(pull(ct).0, pull_same(ct).0), "cotangent of {which} over {over}")
        if number == 3 { assert(close(jvp(here, (x,), (dx,)).1, jvp(there, (x,), (dx,)).1), "tangent of {which}") }
    }
}
# two of three axes; the third axis is a batch
let pairs = fn(over, maps) = mesh(maps, fn(v) = (ppermute(v, over, ((0, 3), (3, 1), (1, 5))), all_gather(v, over)))(x[:, :, :, 0, 0])
for over in (("a", "b"), ("b", "a")) {
    let (moved, all) = pairs(over, (vmap, vmap, vmap))
    for maps in all_maps {
        let (p, g) = pairs(over, maps)
        assert(close(p, moved) and close(g, all))
    }
}
# booleans and integers are moved unchanged
let numbers = arange(6).reshape((3, 2))
let turned = pmap(fn(row) = vmap(fn(k) = ppermute(k, ("i", "j"), ((n, (n + 1) % 6) for n in range(6))), axis_name="j")(row), axis_name="i")(numbers)
assert(array_equal(turned, roll(numbers.reshape((6,)), 1).reshape((3, 2))))
assert(array_equal(vmap(fn(row) = pmap(fn(t) = all_gather(t, ("j", "i")), axis_name="j")(row), axis_name="i")([[true, false], [false, false], [true, true]])[0, 0], [true, false, true, false, false, true]))
# a sum of halves is rounded once
let halves = f16([[1.0, 1024.0, 0.5], [1024.0, 0.5, -2048.0]])
assert(array_equal(vmap(fn(row) = vmap(fn(h) = psum_scatter(h * ones((6,), f16), ("i", "j")), axis_name="j")(row), axis_name="i")(halves)[0, 0], f16(2.0)))
print("done")
# expect: done
