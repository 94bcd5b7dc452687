# In a pmap on any number of devices, collectives in loops and branches, over axes, meshes and groups, give the same results as in a vmap.
# devices: 1 2 3 8 64
fn meet(x) {
    mut (t, k) = (x, 0)
    while pmax(abs(t), "i") > 1.0 and k < 9 {
        t = t / 2.0 + pmean(t, "i") / 8.0
        k += 1
    }
    (t, k)
}
fn turns(x) {
    mut t = x
    for k in 0..4 {
        t = t + ppermute(t, "i", ((i, (i + 1) % 12) for i in range(12))) / 4.0
        if psum(t, "i") > 300.0 { break }
    }
    t
}
fn alone(x) {
    mut (t, k) = (x, 0)
    while t < 50.0 {
        t = t * 2.0 + 1.0
        k += 1
    }
    (all_gather(k, "i"), pargmax(t, "i"))
}
fn branch(x) = if pmin(x, "i") < 1.0 { psum(x * x, "i") - x } else { pmax(x, "i") }
fn carried(x) = scan(fn(c, r) = (c / 2.0 + psum(c * r, "i") / 64.0, pmax(c, "i")), x, [1.0, 2.0, 3.0])
fn groups(x) = (
    psum(x, "i", axis_index_groups=((0, 3, 6, 9), (11, 8, 5, 2), (1, 4, 7, 10))),
    all_gather(x, "i", axis_index_groups=((5, 4, 3, 2, 1, 0), (6, 7, 8, 9, 10, 11))),
)
fn leave(x) {
    if pmean(x, "i") > 4.0 { return psum(x, "i") * x }
    pmin(x, "i")
}
let devices = fn(f) = pmap(f, axis_name="i", uneven=true)
let batch = fn(f) = vmap(f, axis_name="i")
fn same(a, b) = tree.all(tree.map(fn(p, q) = allclose(p, q, rtol=1e-5), a, b))
let x = arange(12.0)
for f in (meet, turns, alone, branch, carried, groups, leave) {
    assert(same(devices(f)(x), batch(f)(x)))
    assert(same(vmap(devices(f))([x, x + 3.0]), vmap(batch(f))([x, x + 3.0])))
}
fn mesh(a) {
    mut t = a
    while psum(t, ("i", "j")) > 10.0 {
        t = if pmax(t, "j") > 3.0 { t / 2.0 - pmean(t, "j") / 8.0 } else { t / 4.0 + psum(t, "j") / 32.0 }
        t = t - pmin(t, "i") / 4.0
    }
    t
}
let over = fn(outer, inner) = outer(inner(mesh, axis_name="j"), axis_name="i")(x.reshape(3, 4))
let uneven = fn(f, axis_name) = pmap(f, axis_name=axis_name, uneven=true)
assert(same(over(uneven, uneven), over(vmap, vmap)) and same(over(uneven, vmap), over(vmap, vmap)) and same(over(vmap, uneven), over(vmap, vmap)))
print("done")
# expect: done
