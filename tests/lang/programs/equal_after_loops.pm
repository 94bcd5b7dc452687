# Values that differ between devices only in the first iterations of a loop with a known trip count are equal after the
# loop. A pmap is compared with a vmap, with two slices on separate devices and with 24 slices that share devices.
# slow: yes
# devices: 1 2 3 8
# configs: compiled evaluate mixed-3
fn near(name, got, due) {
    let same = tree.all(
        tree_map(fn(a, b) = a.shape == b.shape and allclose(a, b, rtol=1e-5, atol=1e-6), got, due),
    )
    assert(same, "{name}: {got}, expected {due}")
}
let few = array([1.0, 2.5])
let many = sin(arange(24.0))
## A result that is equal on all devices, returned once or by each slice, equals the slices of a vmap.
fn one(name, f) {
    for x in (few, many) {
        let due = vmap(f, axis_name="i")(x)
        near(
            "{name}, {len(x)} slices",
            pmap(f, axis_name="i", out_axes=none)(x),
            tree_map(fn(t) = t[0], due),
        )
        near(
            "{name}, once of {len(x)}",
            vmap(f, axis_name="i", out_axes=none)(x),
            tree_map(fn(t) = t[0], due),
        )
        near("{name}, each of {len(x)}", pmap(f, axis_name="i")(x), due)
        near("{name}, last of {len(x)}", tree_map(fn(t) = t[0], due), tree_map(fn(t) = t[-1], due))
    }
}
## A result that differs between devices.
fn each(name, f) {
    for x in (few, many) {
        near("{name}, {len(x)} slices", pmap(f, axis_name="i")(x), vmap(f, axis_name="i")(x))
    }
}
fn settled(x) {
    mut y = x
    for k in 0..3 { y = pmean(y, "i") + k }
    y
}

one("the start is left behind", settled)
one("in one turn", fn(x) {
    mut y = x
    for k in 0..1 { y = pmean(y, "i") + k }
    y
})
one("read backwards", fn(x) {
    mut y = x
    for k in reversed(0..4) { y = pmean(y, "i") * 0.5 + k }
    y
})
one("rows", fn(x) {
    mut y = x * ones((40, 30))
    for k in 0..3 { y = pmean(y, "i") + arange(30.0) }
    y
})
one("an update in place", fn(x) {
    mut y = x * ones(50)
    for k in 0..3 {
        y = pmax(y, "i")
        y[k] = k
    }
    y
})
one("after two turns, swapped", fn(x) {
    mut (a, b) = (x, 2 * x)
    for k in 0..2 { (a, b) = (b, psum(a, "i")) }
    (a, b)
})
one("after one turn, swapped: one of them", fn(x) {
    mut (a, b) = (x, 2 * x)
    for k in 0..1 { (a, b) = (b, psum(a, "i")) }
    b
})
one("after three turns, handed on", fn(x) {
    mut (a, b, c) = (x, 2 * x, 3 * x)
    for k in 0..3 { (a, b, c) = (b, c, psum(a + b, "i")) }
    [a, b, c]
})
each("one of three is still that of each", fn(x) {
    mut (a, b, c) = (x, 2 * x, 3 * x)
    for k in 0..2 { (a, b, c) = (b, c, psum(a + b, "i")) }
    [a, b, c]
})
each("beside what stays that of each", fn(x) {
    mut (a, b) = (x, x)
    for k in 0..3 { (a, b) = (pmean(a * b, "i"), b + a) }
    (a, b, psum(a, "i"))
})
one("stacked", fn(x) = scan(fn(c, t) { let m = pmean(c * t, "i"); (m, m) }, x, arange(5.0)))
each("stacked, of each", fn(x) = scan(fn(c, t) = (pmean(c * t, "i"), c), x, arange(5.0)))
one("a loop in a loop", fn(x) {
    mut (y, z) = (x, 0.0)
    for k in 0..3 {
        y = x
        for j in 0..4 { y = pmean(y, "i") + j + k }
        z = z + y
    }
    (y, z)
})
one("the inner one makes it equal", fn(x) {
    mut y = x
    for k in 0..3 {
        for j in 0..2 { y = pmean(y * y, "i") }
    }
    y
})
one("without a collective in the turns", fn(x) {
    let m = pmax(x, "i")
    mut y = x
    for k in 0..4 { y = if k > 1 { m * k } else { m } }
    y
})
one("within what all do alike", fn(x) {
    let m = pmax(x, "i")
    mut z = m
    for k in 0..3 {
        mut y = x * ones(20)
        for j in 0..4 { y = if j > 2 { m * k + arange(20.0) } else { m * ones(20) } }
        z += sum(y)
    }
    z
})
one("from the number of the device", fn(x) {
    let m = pmax(x, "i")
    mut z = m
    for k in 0..3 {
        mut y = axis_index("i")
        for j in 0..4 { y = if j > 2 { j * k } else { j } }
        z += y
    }
    z
})
one("a way that all take", fn(x) = if settled(x) > 0.5 { psum(x, "i") } else { pmax(x, "i") })
one("turns that all make", fn(x) {
    mut y = settled(x)
    while y > 0.5 { y = y - 1 - pmean(x * x, "i") }
    y
})
one("left early", fn(x) {
    let m = settled(x)
    if m > 1.0 { return pmin(x, "i") }
    psum(m * x, "i")
})
each("checks and prints inside", fn(x) {
    mut y = x
    for k in 0..3 {
        y = pmean(y, "i")
        assert(y < 100.0)
    }
    y + x
})
one("exact sums of integers", fn(x) {
    mut n = i32(100 * x)
    for k in 0..3 { n = psum(n, "i") % 1009 + k }
    n
})
one("permuted first", fn(x) {
    mut y = x
    for k in 0..3 { y = pmean(ppermute(y, "i", ((0, 1), (1, 0))), "i") }
    y
})
one("batched within", fn(x) = vmap(fn(t) = settled(x * t))(arange(3.0)))
one("kept by jit and checkpoint", fn(x) = jit(checkpoint(fn(t) = settled(t)))(x))
one(
    "a scan of such loops",
    fn(x) = scan(fn(c, t) { let s = settled(x * t + c); (s, s) }, 0.0, arange(3.0)),
)
one(
    "carried through such loops",
    fn(x) = scan(fn(c, t) { let s = settled(x * t + c); (s, s) }, x, arange(3.0)),
)

# derivatives
fn bent(x) {
    mut y = x
    for k in 0..3 { y = pmean(sin(y) * y, "i") + 0.1 * k }
    y
}
one("value behind jvp", fn(x) = jvp(fn(t) = bent(t), (x,), (1.0,)))
one("value behind vjp", fn(x) = vjp(fn(t) = bent(t), x)[0])
each("pulled back", fn(x) = vjp(fn(t) = bent(t), x)[1](1.0)[0])
each("gradient", fn(x) = grad(fn(t) = bent(t) * t)(x))
one("gradient by what all have", fn(x) = pmean(grad(fn(w) = bent(w * x))(0.5), "i"))
each("second derivative", fn(x) = grad(fn(s) = grad(fn(t) = bent(t))(s))(x))
one("of a batch", fn(x) = pmean(sum(vmap(grad(fn(t) = bent(t * x)))(arange(3.0))), "i"))
one("steps", fn(x) {
    mut w = x
    for k in 0..4 { w = pmean(w - 0.1 * grad(fn(w) = (w * x - 1) ** 2)(w), "i") }
    w
})
one("gradient along loops", fn(x) {
    mut g = x
    for k in 0..3 { g = pmean(grad(fn(t) = bent(t * x))(g), "i") }
    g
})
for x in (few, many) {
    let loss = fn(map) = fn(x) = sum(map(fn(t) = bent(t))(x))
    near(
        "gradient through",
        grad(loss(fn(f) = pmap(f, axis_name="i")))(x),
        grad(loss(fn(f) = vmap(f, axis_name="i")))(x),
    )
    let whole = fn(x) = pmap(fn(t) = bent(t), axis_name="i", out_axes=none)(x)
    let due = fn(x) = vmap(fn(t) = bent(t), axis_name="i")(x)[0]
    near("gradient of one", grad(whole)(x), grad(due)(x))
    near("jvp of one", jvp(whole, (x,), (cos(x),)), jvp(due, (x,), (cos(x),)))
    near(
        "second of one",
        grad(fn(x) = sum(grad(whole)(x) ** 2))(x),
        grad(fn(x) = sum(grad(due)(x) ** 2))(x),
    )
    let rows = [1.0, -0.5, 2.0].reshape(3, 1) * x
    near("vmap of one", vmap(whole)(rows), vmap(due)(rows))
    near("vmap of its gradient", vmap(grad(whole))(rows), vmap(grad(due))(rows))
    near("jit of it", jit(whole)(x), due(x))
    near(
        "scanned",
        scan(fn(c, r) = (whole(c * r), c), x[0], rows)[0],
        scan(fn(c, r) = (due(c * r), c), x[0], rows)[0],
    )
    near("remade", grad(checkpoint(whole))(x), grad(due)(x))
}

# a pmap in a pmap
let mesh = sin(arange(48.0)).reshape(2, 24)
fn over_both(x) {
    mut y = x
    for k in 0..3 { y = pmean(pmean(y, "i") * y, "j") + k }
    y
}
fn inner(map, out) = fn(row) = map(over_both, axis_name="j", out_axes=out)(row)
near(
    "the inner one for all, the outer for each",
    pmap(inner(pmap, none), axis_name="i")(mesh),
    vmap(inner(vmap, 0), axis_name="i")(mesh)[:, 0],
)
fn over_outer(x) {
    mut y = x
    for k in 0..3 { y = pmean(y, "i") + k }
    y
}
near(
    "the outer for all",
    pmap(fn(row) = pmap(over_outer, axis_name="j")(row), axis_name="i", out_axes=none)(mesh),
    vmap(fn(row) = vmap(over_outer, axis_name="j")(row), axis_name="i")(mesh)[0],
)
fn over_inner_first(x) {
    mut y = x
    for k in 0..3 { y = pmean(pmean(y, "j"), "i") + k }
    y
}
near(
    "both for all",
    pmap(
        fn(row) = pmap(over_inner_first, axis_name="j", out_axes=none)(row),
        axis_name="i",
        out_axes=none,
    )(mesh),
    vmap(fn(row) = vmap(over_inner_first, axis_name="j")(row), axis_name="i")(mesh)[0, 0],
)
near(
    "batches of meshes",
    vmap(pmap(settled, axis_name="i", out_axes=none), in_axes=1)(mesh),
    vmap(vmap(settled, axis_name="i"), in_axes=1)(mesh)[:, 0],
)
print("done")
# expect: done
