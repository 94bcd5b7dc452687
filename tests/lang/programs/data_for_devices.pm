# shard, replicate, unreplicate and pad_to: they bring data into the form that pmap needs.
# devices: 1 2 4
let d = device_count()
let data = {x: f32(arange(20)).reshape(10, 2), y: i8(arange(10))}
fn same(a, b) = tree.all(tree_map(fn(x, y) = x.dtype == y.dtype and array_equal(x, y), a, b))

# a sharded array has the same value, and pmap accepts it
let rows = {x: data.x[:8], y: data.y[:8]}
assert(same(shard(rows), rows) and same(shard(rows.x.T, axis=1), rows.x.T) and same(shard(rows.x, axis=-2), rows.x))
assert(same(pmap(fn(r) = r.x * r.y)(shard(rows)), rows.x * rows.y[:, none]))
assert(same(shard(zeros((1, 3))), zeros((1, 3))))              # there are fewer rows than devices
assert(same(jit(fn(t) = 2.0 * shard(t))(rows.x), 2.0 * rows.x))
assert(same(grad(fn(t) = sum(shard(t) ** 2))(rows.x), 2.0 * rows.x))

# a copy for each device, and one of the copies
let parameters = {w: [1.0, 2.0], b: 3.0, n: i8([4])}
let copies = replicate(parameters)
assert(copies.w.shape == (d, 2) and copies.b.shape == (d,) and copies.n.dtype == i8)
assert(same(unreplicate(copies), tree_map(asarray, parameters)))
assert(same(unreplicate(pmap(fn(p) = tree.scale(2, p))(copies)), tree_map(asarray, tree.scale(2, parameters))))
assert(same(unreplicate(replicate(random.split(random.key(1), 3))), random.split(random.key(1), 3)))

# uneven rows are padded to the next multiple; a mask tells the data from the padding
let (padded, there) = pad_to(data, 4)
assert(padded.x.shape == (12, 2) and padded.y.dtype == i8 and there.dtype == bool)
assert(same(padded.x[:10], data.x) and all(padded.x[10:] == 0) and same(there, arange(12) < 10))
let (by_default, _) = pad_to(data.y)
assert(len(by_default) == (10 + d - 1) // d * d)
assert(same(pad_to(data, 5), (data, ones(10, dtype=bool))))     # nothing to do
let (columns, there) = pad_to(data.x, 3, axis=-1)
assert(columns.shape == (10, 3) and same(there, array([true, true, false])))
assert(same(pad_to(zeros((0, 2)), 4), (zeros((0, 2)), zeros(0, dtype=bool))))
# the mean of ten rows on up to four devices, and its gradient, equal those of the rows without padding
fn mean_square(scale) {
    let (rows, there) = pad_to(data.x, 4)
    let part = fn(r, ok) = (psum(where(ok, sum((scale / r) ** 2), 0.0), "i"), psum(i32(ok), "i"))
    let (total, count) = pmap(part, axis_name="i", out_axes=none)(rows + 1.0 * there[:, none], there)
    total / count
}
fn plain(scale) = mean(sum((scale / (data.x + 1.0)) ** 2, axis=1))
assert(allclose(mean_square(2.0), plain(2.0)))
assert(allclose(grad(mean_square)(2.0), grad(plain)(2.0)))
print("done")
# expect: done
