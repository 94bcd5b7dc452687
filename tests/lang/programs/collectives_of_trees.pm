# A collective of a tree applies to each leaf, of any dtype. A value that is equal on all devices is known to be equal
# also as a leaf of a tree, a result of a call, or a captured value.
# devices: 1 2 4
import "_collectives.pm" as table

let x = f32(table.sample((4, 4, 2)))
fn tree_of(t) = {whole: i8(10 * t), pair: (t, t > 0), deep: {half: f16(t)}, none_here: none, text: "kept"}
let groups = ((3, 0), (1, 2))
fn same(a, b) = tree.all(tree_map(fn(x, y) = x.dtype == y.dtype and array_equal(x, y), a, b))
let collectives = (
    fn(t) = psum(t, "i"), fn(t) = pmean(t, "i"), fn(t) = pmax(t, "i"), fn(t) = pmin(t, "i"), fn(t) = pargmax(t, "i"), fn(t) = pargmin(t, "i"),
    fn(t) = all_gather(t, "i", axis=1), fn(t) = all_gather(t, "i", tiled=true), fn(t) = ppermute(t, "i", ((0, 3), (1, 1))),
    fn(t) = pshuffle(t, "i", (1, 0, 3, 2)), fn(t) = pswapaxes(t, "i", 0), fn(t) = all_to_all(t, "i", 0, 1), fn(t) = pbroadcast(t, "i", 1),
    fn(t) = psum(t, "i", axis_index_groups=groups), fn(t) = pmean(t, "i", axis_index_groups=groups),
    fn(t) = all_gather(t, "i", axis_index_groups=groups), fn(t) = all_to_all(t, "i", 0, 1, tiled=true, axis_index_groups=groups),
)
for f in collectives {
    for map in (pmap, vmap) {
        let all = map(fn(t) = f(tree_of(t)), axis_name="i")(x)
        let each = map(fn(t) = tree_map(fn(leaf) = f(leaf), tree_of(t)), axis_name="i")(x)
        assert(same(all, each) and all.text == "kept" and all.none_here == none)
    }
}
let scattered = pmap(fn(t) = psum_scatter({a: round(4 * t), b: (i8(t),)}, "i"), axis_name="i")(x)
assert(same(scattered, {a: sum(round(4 * x), axis=0), b: (i8(sum(i8(x), axis=0)),)}))
assert(same(vmap(fn(t) = psum((1, 2.5, {n: 1}), "i"), axis_name="i", out_axes=none)(x), tree_map(asarray, (4, 10.0, {n: 4}))))
# the sum of a known number is a size, also over a group; if groups are unequal, the size differs between devices
assert(pmap(fn(t) = zeros((psum(1, "i"), psum(1, "i", axis_index_groups=groups))), axis_name="i")(x).shape == (4, 4, 2))
assert(same(pmap(fn(t) = psum(2, "i", axis_index_groups=((0,), (1, 2, 3))), axis_name="i")(x), i32([2, 6, 6, 6])))

# ---- values equal on all devices: in trees, and in functions and their captured values
fn normalised(t, total) = {parts: (t / total, total), of: {sum: total * 2}}
fn all_known(t) {
    let total = psum(sum(t ** 2), "i")
    let scale = fn(y) = y * total
    let tree = normalised(pmean(t, "i"), total)
    let rows = all_gather(t[0, 0], "i")
    mut state = {sum: 0.0, rows: rows}
    for k in 0..3 {
        if state.sum < total { state.sum += sum(scale(state.rows)) } else { state.rows = state.rows * 2 }
    }
    let (last, each) = scan(fn(c, r) = (c + r * total, pbroadcast(c, "i", 3)), total, state.rows)
    (tree.parts.0, tree.of, state, scale(tree.parts.1), vmap(fn(r) = r * total)(rows), jit(fn(r) = r + last)(each), axis_size("i"), grad(fn(s) = sum(scale(s) ** 2))(rows))
}
let one = pmap(all_known, axis_name="i", out_axes=none)(x)
let each = pmap(all_known, axis_name="i", out_axes=0)(x)
assert(tree.all(tree_map(fn(a, b) = allclose(a, b[0], rtol=1e-5) and array_equal(b, broadcast_to(b[0], b.shape)), one, each)))
# a mean of gradients: a step of data-parallel training returns one result for all devices
let step = pmap(fn(w, t) = w - 0.1 * pmean(grad(fn(w) = mean((t @ w) ** 2))(w), "i"), axis_name="i", in_axes=(none, 0), out_axes=none)
let w = [0.5, -1.0]
assert(allclose(step(w, x), w - 0.1 * grad(fn(w) = mean((x @ w) ** 2))(w), rtol=1e-5))
print("done")
# expect: done
