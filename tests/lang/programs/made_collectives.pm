# Collectives that are composed of other collectives, over the axes of pmap and vmap, with their derivatives.
# devices: 3
fn same(a, b) = tree.all(tree.map(fn(x, y) = x.dtype == y.dtype and array_equal(x, y, equal_nan=true), a, b))
let x = [1.0, 3.0, 2.0]
fn on_devices(f, out) = pmap(f, axis_name="i", out_axes=out)
fn in_a_batch(f, out) = vmap(f, axis_name="i", out_axes=out)
fn compiled(f, out) = jit(pmap(f, axis_name="i", out_axes=out))
for map in (on_devices, in_a_batch, compiled) {
    assert(same(map(fn(a) = pargmax(a, "i"), none)(x), array(1)))
    assert(same(map(fn(a) = (pargmin(a, "i"), pargmax([a, -a], "i")), none)(x), (array(0), [1, 0])))
    assert(same(map(fn(a) = pargmax(a, "i"), 0)(i8([7, 7, -3])), [0, 0, 0])) # the first index of equal maxima
    assert(same(map(fn(a) = pargmax(a, "i"), 0)([1.0, nan, nan]), [1, 1, 1]))
    let groups = ((2, 0), (1,))
    assert(same(map(fn(a) = (pargmax(a, "i", axis_index_groups=groups), pargmin(a, "i", axis_index_groups=groups)), 0)(x), ([2, 1, 2], [0, 1, 0])))
    assert(same(map(fn(a) = pshuffle(a, "i", (2, 0, 1)), 0)(x), [2.0, 1.0, 3.0]))
    assert(same(map(fn(a) = pswapaxes(a, "i", 0), 0)(arange(9).reshape((3, 3))), arange(9).reshape((3, 3)).T))
    assert(same(map(fn(a) = pswapaxes(a, "i", -1), 0)(arange(18).reshape((3, 2, 3)))[1], arange(18).reshape((3, 2, 3))[:, :, 1].T))
    let tree_of = fn(a) = {number: a, truth: a > 2, whole: i64(a), pair: complex(a, -a)}
    assert(same(map(fn(a) = pbroadcast(tree_of(a), "i", 1), none)(x), tree_of(array(3.0))))
    assert(same(map(fn(a) = pbroadcast(a, "i", 2), none)([1.0, inf, nan]), array(nan)))
    # a shuffle's cotangents return to the sources of the values, a broadcast's cotangents to its source
    assert(same(grad(fn(x) = sum([1.0, 10.0, 100.0] * map(fn(a) = pshuffle(a, "i", (2, 0, 1)), 0)(x)))(x), [10.0, 100.0, 1.0]))
    assert(same(grad(fn(x) = sum(map(fn(a) = pbroadcast(a, "i", 1) * a, 0)(x)))(x), [3.0, 9.0, 3.0]))
    assert(same(jvp(map(fn(a) = pbroadcast(a * a, "i", 2), 0), (x,), (ones_like(x),))[1], [4.0, 4.0, 4.0]))
    assert(same(hessian(fn(x) = sum(map(fn(a) = pbroadcast(a * a, "i", 0) * a, 0)(x)))(x), [[16.0, 2.0, 2.0], [2.0, 0.0, 0.0], [2.0, 0.0, 0.0]]))
}
# over two axes, positions are counted row by row
let grid = [[1.0, 5.0, 2.0], [0.0, 5.0, 4.0]]
let over = fn(outer, inner) = outer(fn(row) = inner(fn(a) = (pargmax(a, ("o", "i")), pbroadcast(a, ("o", "i"), 5), pargmin(a, "i")), axis_name="i")(row), axis_name="o")(grid)
for (outer, inner) in ((vmap, pmap), (vmap, vmap)) {
    let (best, last, least) = over(outer, inner)
    assert(same((best, last, least), (ones((2, 3), i32), 4.0 * ones((2, 3)), zeros((2, 3), i32))))
}
print("done")
# expect: done
