# pmap(..., uneven=true) accepts any number of slices on any number of devices, and has the values of vmap.
# slow: yes
# devices: 1 2 3 4 8
fn same(a, b) = tree.all(tree.map(fn(x, y) = x.shape == y.shape and x.dtype == y.dtype and array_equal(x, y, equal_nan=true), a, b))
fn close(a, b) = tree.all(tree.map(fn(x, y) = x.shape == y.shape and x.dtype == y.dtype and allclose(x, y, rtol=1e-5, atol=1e-5), a, b))
fn flat(f) = pmap(f, axis_name="i", uneven=true)
# functions that can fail run on as many devices as possible; two devices may compute the same slice
fn checked(f) = fn(a) {
    assert(not any(isnan(a)), "not a number")
    f(a)
}
fn devices(f) = flat(checked(f))
fn batch(f) = vmap(f, axis_name="i")

for n in (1, 2, 5, 7, 11, 13) {
    let x = random.normal(random.key(n), (n, 3, n))
    let v = x[:, 0, 0]
    let next = ((i, (i + 1) % n) for i in range(n))
    # moves and comparisons have equal results; sums may differ in the last bits
    let moves = (
        fn(a) = sin(a) @ a.T,
        fn(a) = (axis_index("i"), axis_size("i"), a),
        fn(a) = (pmax(a, "i"), pmin(-a, "i"), pmax(a > 0, "i"), pargmax(a[0, 0], "i")),
        fn(a) = (all_gather(a, "i"), all_gather(a, "i", axis=1, tiled=true), all_gather(axis_index("i"), "i", axis=-1)),
        fn(a) = (ppermute(a, "i", next), ppermute(a, "i", (next[0],)), pbroadcast(a, "i", n - 1)),
        fn(a) = (all_to_all(a, "i", 1, 0), all_to_all(a, "i", 1, 1, tiled=true), pswapaxes(a, "i", 1)),
        fn(a) = (psum(ones((2,), i32), "i"), psum(axis_index("i") > 1, "i"), psum(i8([100]), "i"), psum(1, "i")),
        fn(a) = psum(inf * ones(2), "i"),
        fn(a) = psum(if axis_index("i") == n - 1 { nan } else { 1.0 }, "i"),
    )
    for move in moves { assert(same(devices(move)(x), batch(move)(x)) and same(flat(move)(x), batch(move)(x)), "{n}") }
    let sums = (
        fn(a) = (psum(a, "i"), pmean(a * a, "i"), psum((a, {b: a * axis_index("i")}), "i")),
        fn(a) = (psum_scatter(a[0], "i"), psum_scatter(a, "i", scatter_dimension=1, tiled=true)),
        fn(a) = psum(complex(a, -a), "i") * a,
        fn(a) = psum(f16(a), "i"),
        fn(a) = scan(fn(c, row) = (psum(c * row, "i") / n, pmean(row, "i")), a[0], a),
        fn(a) {
            mut k = 0
            mut total = sum(a)
            while pmax(total, "i") < 1000.0 and k < 20 {
                total = total * 1.5 + pmean(abs(total), "i") + 1.0
                k = k + 1
            }
            (total, k)
        },
        fn(a) {
            mut t = sum(a * a) + 1.0
            while t < 50.0 { t = 2.0 * t }
            psum(t, "i") - t
        },
    )
    for f in sums { assert(close(devices(f)(x), batch(f)(x)) and close(flat(f)(x), batch(f)(x)), "{n}") }

    # derivatives, of any mode and order
    let loss = fn(map) = fn(a, w) = sum(map(fn(s) = tanh(psum(s * w, "i")) * s + pmax(s, "i") * pmean(s * s, "i") + sin(w))(a))
    for argnums in (0, 1, (0, 1)) { assert(close(grad(loss(devices), argnums=argnums)(v, 0.3), grad(loss(batch), argnums=argnums)(v, 0.3))) }
    assert(close(hessian(loss(devices))(v, 0.3), hessian(loss(batch))(v, 0.3)))
    assert(close(jvp(loss(devices), (v, 0.3), (cos(v), 1.0)), jvp(loss(batch), (v, 0.3), (cos(v), 1.0))))
    let inner = fn(map) = map(fn(a) = grad(fn(w) = pmean(sum(w * w * a), "i"))(a))
    assert(close(inner(devices)(x), inner(batch)(x)))
    fn turns(map) = fn(a) = sum(map(fn(s) {
        mut t = s * s + 1.0
        while t < 20.0 { t = t * t + s * s + 0.5 }
        psum(t, "i") * t
    })(a))
    assert(close(grad(turns(devices))(v), grad(turns(batch))(v)))
    let by = fn(map) = grad(fn(a) = sum(grad(turns(map))(a) * a))
    assert(close(by(devices)(v / 9.0), by(batch)(v / 9.0)))

    # axes of arguments and results, blocks, and nested maps
    let pieces = fn(map) = map(fn(a, w, k) = (checked(sin)(a) * w, psum(a, "i"), k.y + w), in_axes=(-1, none, {y: 1}), out_axes=(1, none, -1))(x, 2.0, {y: x[0]})
    assert(close(pieces(fn(f, in_axes, out_axes) = pmap(f, axis_name="i", in_axes=in_axes, out_axes=out_axes, uneven=true)), pieces(fn(f, in_axes, out_axes) = vmap(f, axis_name="i", in_axes=in_axes, out_axes=out_axes))))
    let rows = x.reshape((3 * n, n))
    assert(close(pmap(checked(fn(b) = b - pmean(sum(b), "i")), axis_name="i", axis_size=n, tiled=true)(rows).reshape(x.shape), batch(fn(b) = b - pmean(sum(b), "i"))(x)))
    let both = fn(outer, first) = outer(fn(a) = first(fn(b) = b * psum(b, ("i", "j")) + pmax(b, "j") + all_gather(axis_index("i"), ("j", "i"))[-1])(a))(x)
    let over_j = fn(f) = vmap(f, axis_name="j")
    let devices_j = fn(f) = pmap(f, axis_name="j", uneven=true)
    assert(close(both(devices, devices_j), both(batch, over_j)) and close(both(devices, over_j), both(batch, over_j)) and close(both(batch, devices_j), both(batch, over_j)))
    assert(close(vmap(devices(fn(a) = psum(a, "i") * a), in_axes=2)(x), vmap(batch(fn(a) = psum(a, "i") * a), in_axes=2)(x)))

    # random keys
    let keys = random.split(random.key(5), n)
    assert(same(flat(fn(k) = random.normal(k, (2,)))(keys), batch(fn(k) = random.normal(k, (2,)))(keys)))
}

# a slice prints once and fails once, also if two devices compute it
fn shown(a) {
    print("slice {a}")
    if a > 4 { print("large {a}") }
    a
}
print(sum(pmap(shown, uneven=true)(arange(7))))
print("done")
# expect: slice 0
# expect: slice 1
# expect: slice 2
# expect: slice 3
# expect: slice 4
# expect: slice 5
# expect@1: slice 6
# expect@1: large 5
# expect@2: slice 6
# expect@2: large 5
# expect@3: large 5
# expect@3: slice 6
# expect@4: large 5
# expect@4: slice 6
# expect@8: large 5
# expect@8: slice 6
# expect: large 6
# expect: 21
# expect: done
