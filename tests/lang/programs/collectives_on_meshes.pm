# Meshes of two axes. A collective over one axis or both; over both, positions are counted row by row. Maps within other
# constructs, these constructs within maps, and the values that maps capture.
# slow: yes
# devices: 1 2 4
# configs: compiled evaluate mixed-3
import "_collectives.pm" as table

fn mesh(f, outer=pmap, inner=pmap, out_axes=0) = outer(inner(f, axis_name="b", out_axes=out_axes), axis_name="a", out_axes=out_axes)
let x = table.sample((2, 2, 4, 3))
let w = table.sample((2, 2, 4, 3), 5.0)
let flat = x.reshape(4, 4, 3)
fn back(y) = y.reshape((2, 2) + y.shape[1:])
fn moved(f, y) = back(f(y.reshape((4,) + y.shape[2:])))
fn all_of(y) = broadcast_to(y, (2, 2) + y.shape)

# over both axes a mesh is one axis of four devices
let both = ("a", "b")
for (name, f, all) in (
    ("psum", fn(t) = psum(t, both), fn(y) = table.everywhere(sum(y, axis=0))),
    ("pmean", fn(t) = pmean(t, both), fn(y) = table.everywhere(mean(y, axis=0))),
    ("pmax", fn(t) = pmax(t, both), fn(y) = table.everywhere(max(y, axis=0))),
    ("pmin", fn(t) = pmin(t, both), fn(y) = table.everywhere(min(y, axis=0))),
    ("all_gather", fn(t) = all_gather(t, both, axis=1), fn(y) = table.everywhere(moveaxis(y, 0, 1))),
    ("all_gather tiled", fn(t) = all_gather(t, both, tiled=true), fn(y) = table.everywhere(table.merged(y, 0))),
    ("psum_scatter", fn(t) = psum_scatter(t, both), fn(y) = table.scattered(y, 0)),
    ("psum_scatter tiled", fn(t) = psum_scatter(t, both, tiled=true), fn(y) = table.scattered_tiled(y, 0, 4)),
    ("pbroadcast", fn(t) = pbroadcast(t, both, 2), fn(y) = table.everywhere(y[2])),
    ("psum of groups", fn(t) = psum(t, both, axis_index_groups=table.groups), fn(y) = table.per_group(y, table.groups, fn(z) = sum(z, axis=0))),
    ("pmax of unequal groups", fn(t) = pmax(t, both, axis_index_groups=table.unequal), fn(y) = table.per_group(y, table.unequal, fn(z) = max(z, axis=0))),
    ("all_gather of groups", fn(t) = all_gather(t, both, axis_index_groups=table.groups), fn(y) = table.per_group(y, table.groups, fn(z) = z)),
    ("psum_scatter of groups", fn(t) = psum_scatter(t, both, tiled=true, axis_index_groups=table.groups), fn(y) = table.per_member(y, table.groups, fn(z) = table.scattered_tiled(z, 0, 2))),
    ("all_to_all of groups", fn(t) = all_to_all(t[:2], both, 0, 1, axis_index_groups=table.groups), fn(y) = table.per_member(y[:, :2], table.groups, fn(z) = table.exchanged(z, 0, 1))),
) {
    for (outer_name, outer) in (("pmap", pmap), ("vmap", vmap)) {
        for (inner_name, inner) in (("pmap", pmap), ("vmap", vmap)) {
            let what = "{name}, {inner_name} in {outer_name}"
            table.near("{what}: value", mesh(f, outer, inner)(x), back(all(flat)))
            let loss = fn(f) = fn(t) = sum(sin(f(t)) ** 2)
            table.near("{what}: gradient", grad(loss(mesh(f, outer, inner)))(x), grad(loss(fn(t) = moved(all, t)))(x))
        }
    }
}
# a collective over one axis has the other axis as a batch
table.near("psum over a", mesh(fn(t) = psum(t, "a"))(x), broadcast_to(sum(x, axis=0), x.shape))
table.near("psum over b", mesh(fn(t) = psum(t, "b"))(x), broadcast_to(sum(x, axis=1, keepdims=true), x.shape))
table.near("one after the other", mesh(fn(t) = psum(psum(t, "a"), "b"))(x), mesh(fn(t) = psum(t, both))(x))
table.near("turned about", mesh(fn(t) = all_gather(t, ("b", "a")))(x)[0, 0], swapaxes(x, 0, 1).reshape(4, 4, 3))
table.near("shift along a", mesh(fn(t) = ppermute(t, "a", ((0, 1), (1, 0))))(x), x[::-1])
table.near("shift along b", mesh(fn(t) = ppermute(t, "b", ((0, 1), (1, 0))))(x), x[:, ::-1])
table.near("places", mesh(fn(t) = (axis_index(both), axis_index(("b", "a")), 10 * axis_index("a") + axis_index("b")))(x), ([[0, 1], [2, 3]], [[0, 2], [1, 3]], [[0, 1], [10, 11]]))
table.near("sizes", pmap(vmap(fn(t) = (axis_size(both) + psum(1, "b"), zeros(axis_size("a"))), axis_name="b"), axis_name="a")(zeros((2, 3))), (9 * ones((2, 3), i32), zeros((2, 3, 2))))
table.near("one value", mesh(fn(t) = pmean(t, both), out_axes=none)(x), mean(x, axis=(0, 1)))
table.near("equal along b", pmap(pmap(fn(t) = psum(t, "b"), axis_name="b", out_axes=none), axis_name="a")(x), sum(x, axis=1))
table.near("equal along a", pmap(pmap(fn(t) = psum(t, "a"), axis_name="b"), axis_name="a", out_axes=none)(x), sum(x, axis=0))

# a matrix product over a mesh: rows are divided over a, the terms of the sum over b
let (m, v) = (table.sample((4, 6)), table.sample((6, 3), 2.0))
let product = pmap(
    pmap(fn(part, rows) = psum(part @ rows, "b"), axis_name="b", in_axes=(1, 0), out_axes=none),
    axis_name="a", in_axes=(0, none),
)
let blocks = m.reshape(2, 2, 2, 3)                # [a, row, b, column]
table.near("product over a mesh", product(blocks, v.reshape(2, 3, 3)).reshape(4, 3), m @ v)

# ---- maps in other constructs, and other constructs in maps
let z = table.sample((4, 3))
fn centred(t, map=pmap) = map(fn(r) = r - pmean(r, "i"), axis_name="i")(t)
fn centre(t) = t - mean(t, axis=0)
let stacked = stack((z, 2.0 * z, -z))
table.near("in vmap", vmap(centred)(stacked), stack((centre(z), 2.0 * centre(z), -centre(z))))
table.near("in jit", jit(fn(t) = sin(centred(t)))(z), sin(centre(z)))
table.near("in scan", scan(fn(c, r) = (c + sum(centred(r * z) ** 2), centred(r * z)), 0.0f64, [1.0f64, 2.0f64]), (5.0 * sum(centre(z) ** 2), stack((centre(z), 2.0 * centre(z)))))
let through = fn(t, f) {
    mut y = t
    for k in 0..3 { y = y + f(y * y) }
    mut turns = 0
    while sum(y * y) > 0.5 and turns < 40 {
        y = 0.5 * y + 0.1 * f(y)
        turns += 1
    }
    if sum(y) > 0.0 { f(y) * y } else { f(sin(y)) + y }
}
table.near("in for, while and if", jit(fn(t) = through(t, centred))(z), through(z, centre))
table.near("and its gradient", grad(fn(t) = sum(through(t, centred) ** 2))(z), grad(fn(t) = sum(through(t, centre) ** 2))(z))
table.near("in a batch of it", vmap(fn(t) = grad(fn(s) = sum(through(s, centred) ** 2))(t))(stacked), vmap(fn(t) = grad(fn(s) = sum(through(s, centre) ** 2))(t))(stacked))
let in_map = pmap(fn(r) = jit(fn(s) = vmap(fn(e) = e * psum(e, "i"))(s))(r), axis_name="i")
table.near("jit and vmap in pmap", in_map(z), z * sum(z, axis=0))
let mapped_hessian = pmap(fn(r) = hessian(fn(s) = sum(psum(s * s, "i") ** 2))(r), axis_name="i")
table.near("hessian in pmap", jit(mapped_hessian)(z).shape, (4, 3, 3))

# ---- captured values from a module, a function, a gradient, a batch, a loop, an outer map
let scale = array([2.0f64, 3.0f64, 5.0f64])
let closed = fn(a, b) = sum(pmap(fn(r) = psum(a * r, "i") * scale + b, axis_name="i")(z))
let closed_all = fn(a, b) = 4.0 * sum(sum(a * z, axis=0) * scale) + 12.0 * b
table.near("closed over, gradient", grad(closed, argnums=(0, 1))(1.5f64, 2.0f64), grad(closed_all, argnums=(0, 1))(1.5f64, 2.0f64))
table.near("closed over, batch", vmap(closed, in_axes=(0, none))(scale, 2.0f64), vmap(closed_all, in_axes=(0, none))(scale, 2.0f64))
table.near("closed over, second derivative", jvp(grad(fn(a) = closed(a * a, a)), (1.5f64,), (1.0f64,)), jvp(grad(fn(a) = closed_all(a * a, a)), (1.5f64,), (1.0f64,)))
let sums = pmap(fn(r) {
    mut total = zeros_like(r)
    for k in 0..3 { total += pmap(fn(s) = psum(s * k, "i") + psum(r, "o"), axis_name="i")(z)[0] }
    total
}, axis_name="o")
table.near("closed over, an outer map's", sums(z), broadcast_to(3.0 * sum(z, axis=0) + 3.0 * sum(z, axis=0), (4, 3)))
print("done")
# expect: done
