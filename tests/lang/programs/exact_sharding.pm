# options: --exact-sharding
# devices: 1 3 5 8 24
# configs: compiled mixed
# With --exact-sharding no bit of a sum over devices depends on their number. A pmap in a pmap runs on one device.
fn same(a, b) = tree.all(tree.map(fn(x, y) = x.shape == y.shape and x.dtype == y.dtype and array_equal(x, y), a, b))
let x = random.normal(random.key(1), (24, 17, 24))
let w = random.normal(random.key(2), (24, 24)) * 0.1
let bodies = (
    fn(a) {
        assert(not any(isnan(a)), "on each device")
        (psum(a @ w, "i"), psum_scatter(a.T, "i"), pmean(sum(a), "i"))
    },
    fn(a) = (psum(a[0, 0], "i"), pmean(a[0], "i"), psum(a, "i")),
    fn(a) = psum(sum(a @ w) * tanh(a), "i"),
    fn(a) = (psum_scatter(a.T, "i"), psum_scatter(a, "i", scatter_dimension=1, tiled=true)),
    fn(a) = (psum(f16(a), "i"), psum(i32(100.0 * a), "i"), psum(f64(a[0]), "i")),
    fn(a) = a - pmean(mean(a, axis=0), "i") / sqrt(pmean(a[0] * a[0], "i")),
    fn(a) = scan(fn(c, r) = (tanh(c * r + psum(c @ w, "i") * 0.1), pmean(c * r, "i")), a[0], a),
    fn(a) = grad(fn(v) = psum(sum(tanh(a @ v) ** 2), "i"))(w),
    fn(a) = vmap(fn(r) = r * psum(sum(r), ("i", "j")), axis_name="j")(a),
    fn(a) {
        mut t = sum(a * a)
        while pmax(t, "i") < 1e5 { t = 1.5 * t + pmean(t, "i") }
        t
    },
)
fn on_devices(f, tiled) = pmap(f, axis_name="i", axis_size=24, tiled=tiled, uneven=true)
fn on_one(f, tiled) = fn(t) = pmap(on_devices(f, tiled))(t.reshape((1, *t.shape)))[0]
fn first(t) = tree.map(fn(v) = v[0], t)
fn on_one_tree(f) = fn(t) = first(pmap(on_devices(f, false))(t.reshape((1, *t.shape))))
for (number, body) in enumerate(bodies) { assert(same(on_devices(body, false)(x), on_one_tree(body)(x)), "{number}") }
let rows = x.reshape((24 * 17, 24))
fn centred(b) = b - pmean(sum(b, axis=0), "i")
assert(same(on_devices(centred, true)(rows), on_one(centred, true)(rows)))
fn step(map) = fn(v) = sum(map(fn(a) = psum(sum(tanh(a @ v) ** 2), "i"), false)(x))
assert(same(grad(step(on_devices))(w), grad(step(on_one))(w)))
print("done")
# expect: done
