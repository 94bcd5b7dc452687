# Collectives under conditions, in loops and after exits that all devices take together, and values that are equal on
# all devices. All programs are accepted, and their values are those under vmap.
# devices: 2 4
# configs: compiled evaluate
fn dup(x) = psum(x, "i")
let x = arange(4.0)
fn check(name, got, due) {
    let same =
        tree.all(tree_map(fn(a, b) = a.shape == b.shape and allclose(a, b, rtol=1e-6), got, due))
    assert(same, "{name}: {got}, expected {due}")
}
## A value that differs between devices.
fn each(name, f) = check(name, pmap(f, axis_name="i")(x), vmap(f, axis_name="i")(x))
## A value that is equal on all devices.
fn one(name, f) =
    check(name, pmap(f, axis_name="i", out_axes=none)(x), vmap(f, axis_name="i", out_axes=none)(x))

each("0", fn(x) = if psum(x, "i") > 1.0 { psum(x, "i") } else { x })
each("1", fn(x) {
    mut y = x
    while pmax(y, "i") < 5.0 { y = y + pmean(y, "i") + 1 }
    y
})
each("2", fn(x) = if pmean(x, "i") > 1.0 { dup(x) } else { x })
each("3", fn(x) {
    let m = pmax(x, "i")
    mut k = 0
    mut y = x
    while k < m {
        y += psum(y, "i")
        k += 1
    }
    y
})
each("4", fn(x) = if all_gather(x, "i")[0] > 0.5 { psum(x, "i") } else { x })
each("5", fn(x) = if pbroadcast(x, "i", 2) > 0.5 { psum(x, "i") } else { x })
each("6", fn(x) = if pmin(x, "i") > 0.5 { psum(x, "i") } else { x })
each("7", fn(x) = if pargmax(x, "i") == 3 { psum(x, "i") } else { x })
each("8", fn(x) {
    let t = {a: psum(x, "i"), b: x}
    if t.a > 1.0 { psum(t.b, "i") } else { 0.0 }
})
each("9", fn(x) {
    mut p = (psum(x, "i"), x)
    for k in 0..3 { p = (p[0] + 1, p[1] + p[0]) }
    if p[0] > 1.0 { psum(p[1], "i") } else { x }
})
one("11", fn(x) = scan(fn(c, k) { let s = psum(x, "i") + c; (s, s) }, 0.0, arange(3.0)))
each("12", fn(x) = fori_loop(0, 4, fn(k, c) = c + psum(c, "i"), x))
one("13", fn(x) {
    mut s = 0.0
    for k in 0..3 {
        if psum(x, "i") > 100.0 { break }
        s += psum(x, "i")
    }
    s
})
each("14", fn(x) {
    if psum(x, "i") > 100.0 { return x }
    psum(x, "i")
})
one("15", fn(x) = vmap(fn(t) = psum(t * x, "i"))(ones(2)))
one("16", fn(x) = vmap(fn(t) = if t > 1.0 { psum(t * x, "i") } else { t })(arange(3.0)))
one("18", fn(x) = pmean(grad(fn(t) = t * x * t)(1.0), "i"))
each("19", fn(x) = grad(fn(t) = if psum(t, "i") > 1.0 { psum(t * t, "i") } else { t })(x))
one("20", fn(x) = cond(pmax(x, "i") > 1.0, fn(t) = psum(t, "i"), fn(t) = pmean(t, "i"), x))
one(
    "21",
    fn(x) = switch(
        i32(pmax(x, "i")) % 3,
        (fn(t) = psum(t, "i"), fn(t) = pmax(t, "i"), fn(t) = pmin(t, "i")),
        x,
    ),
)
each(
    "22",
    fn(x) = while_loop(fn(c) = c.1 < 10.0, fn(c) = (c.0 + 1, c.1 + psum(c.0, "i")), (x, 0.0)),
)
one("23", fn(x) {
    let y = if x > 1.0 { 2.0 } else { x }
    psum(y, "i")
})
one("24", fn(x) {
    mut y = x
    while y < 5.0 { y += 1.5 }
    psum(y, "i")
})
one("25", fn(x) = tree_map(fn(t) = psum(t, "i"), {a: x, b: (x, x)}))
one("26", fn(x) = checkpoint(fn(t) = sin(psum(t, "i")))(x))
one("27", fn(x) = jit(fn(t) = if psum(t, "i") > 1.0 { pmean(t, "i") } else { 0.0 })(x))
one("28", fn(x) {
    let n = psum(1, "i")
    mut s = 0.0
    for k in 0..n { s += ppermute(x, "i", ((0, 1), (1, 2), (2, 3), (3, 0))) }
    psum(s, "i")
})
one("30", fn(x) {
    mut y = psum(x, "i")
    while y > 1.0 {
        y = y / 2
        if y < 3.0 { y = y - psum(0.1 * y, "i") }
    }
    y
})
each("31", fn(x) = where(x > 1.0, psum(x, "i"), x))
one("32", fn(x) = all_gather(x, "i", tiled=false))
one("33", fn(x) = psum(x, "i", axis_index_groups=((3, 1, 0, 2),)))
one("35", fn(x) = jvp(fn(t) = psum(t * t, "i"), (x,), (1.0,)))
one("36", fn(x) = vjp(fn(t) = psum(t * t, "i"), x).0)
one("37", fn(x) = map(fn(t) = if t > 1.0 { psum(t * x, "i") } else { t }, arange(3.0)))
one("38", fn(x) {
    let (a, b) = (psum(x, "i"), x)
    let r = {a, b}
    [r.a, r.a * 2]
})
each("39", fn(x) {
    mut (k, y) = (0, x)
    while k < 3 {
        if k == 1 { y = pmean(y, "i") } else { y = y + psum(y, "i") }
        k += 1
    }
    y
})
each("40", fn(x) {
    let c = pmax(x > 2.0, "i")
    if c { psum(x, "i") } else { x }
})
each("41", fn(x) {
    let c = psum(x > 2.0, "i") == 4
    if c { psum(x, "i") } else { x }
})
one(
    "42",
    fn(x) = vmap(
        fn(t) = if psum(t, "j") > 0.0 { psum(t * x, ("i", "j")) } else { 0.0 },
        axis_name="j",
        out_axes=none,
    )(ones(3)),
)
each("43", fn(x) {
    let h = pmean(x, "i")
    let f = fn(t) = if h > 1.0 { psum(t, "i") } else { t }
    f(x)
})
each("44", fn(x) {
    let z = array(stop_gradient(psum(x, "i")))
    if z > 0 { psum(x, "i") } else { x }
})
one("45", fn(x) = linalg.norm(psum(ones(3) * x, "i")))
print("done")
# expect: done
