# Collectives that only move their leaves accept random keys. They move keys as they move numbers: each result is
# compared with the moved numbers of the keys, counted from 1. A result is a zero key where the number is 0.
# slow: yes
# devices: 1 2 3 8
# configs: compiled evaluate mixed-3
let keys = random.split(random.key(3), (24, 4, 6))
let places = 1 + arange(keys.size).reshape(keys.shape)
let nobody = random.key(0)
let flat = keys.reshape(keys.size)
fn at(places) = where(places > 0, flat[maximum(places - 1, 0)], nobody)
fn same(name, got, due) {
    let alike = tree_map(fn(k, p) = k.shape == p.shape and all(k == at(p)), got, due)
    assert(tree.all(alike), "{name}: {got}, expected {tree_map(at, due)}")
    let bits = fn(k) = vmap(random.bits)(k.reshape(k.size))
    let drawn = tree_map(fn(k, p) = array_equal(bits(k), bits(at(p))), got, due)
    assert(tree.all(drawn), "{name}: draws")
}
assert(
    random.bits(nobody) ==
    random.bits(vmap(fn(k) = ppermute(k, "i", ()), axis_name="i")(flat[3:4])[0]),
)

fn ring(n) = ((i, (i + 1) % n) for i in tuple(0..n))
fn halves(n) = (tuple(0..n // 2), (n - 1 - i for i in tuple(0..n // 2)))

# over one axis: slices on separate devices, and slices that share a device
let ways = (
    fn(x, n) = all_gather(x, "i"),
    fn(x, n) = all_gather(x, "i", axis=1),
    fn(x, n) = all_gather(x, "i", axis=-1, tiled=true),
    fn(x, n) = all_gather(x[0, 0], "i"),
    fn(x, n) = all_gather(x, "i", axis_index_groups=halves(n)),
    fn(x, n) = all_gather(x, "i", axis=1, tiled=true, axis_index_groups=halves(n)),
    fn(x, n) = ppermute(x, "i", ring(n)),
    fn(x, n) = ppermute(x, "i", ((0, n - 1),)),
    fn(x, n) = ppermute(x[0, 0], "i", ()),
    fn(x, n) = pshuffle(x, "i", (n - 1 - i for i in tuple(0..n))),
    fn(x, n) = pswapaxes(all_gather(x[0], "i"), "i", 0),
    fn(x, n) = pswapaxes(all_gather(x[0], "i")[:n // 2], "i", 0, axis_index_groups=halves(n)),
    fn(x, n) = all_to_all(all_gather(x, "i"), "i", 0, 2),
    fn(x, n) = all_to_all(all_gather(x, "i", tiled=true), "i", 0, 1, tiled=true),
    fn(x, n) = all_to_all(
        all_gather(x, "i", tiled=true),
        "i",
        0,
        0,
        tiled=true,
        axis_index_groups=halves(n),
    ),
    fn(x, n) = pbroadcast(x, "i", n - 1),
    fn(x, n) = pbroadcast({part: x[0], own: (x, none)}, "i", 1),
    fn(x, n) = where(axis_index("i") == 1, x, ppermute(x, "i", ring(n))),
    fn(x, n) {
        mut y = x
        for k in 0..3 { y = ppermute(y, "i", ring(n)) }
        y
    },
    fn(x, n) {
        mut (y, k) = (x, 0)
        while k < 2 {
            y = ppermute(pbroadcast(y, "i", 1), "i", ring(n)[1:])
            k += 1
        }
        y
    },
    fn(x, n) = scan(fn(c, t) = (ppermute(c, "i", ring(n)), t), x, all_gather(x, "i")),
    fn(x, n) = vmap(fn(t) = all_gather(ppermute(t, "i", ring(n)), "i"), in_axes=1, out_axes=1)(x),
    fn(x, n) = jit(checkpoint(fn(t) = ppermute(t, "i", ring(n))))(x),
)
for n in (2, 24) {
    for (i, way) in enumerate(ways) {
        let x = keys[:n]
        let due = vmap(fn(p) = way(p, n), axis_name="i")(places[:n])
        same("way {i} of {n}", pmap(fn(k) = way(k, n), axis_name="i")(x), due)
        same("way {i} of {n}, vmap", vmap(fn(k) = way(k, n), axis_name="i")(x), due)
    }
}

# one result for all slices
for map in (pmap, vmap) {
    same(
        "gathered once",
        map(fn(k) = all_gather(k, "i"), axis_name="i", out_axes=none)(flat),
        places.reshape(keys.size),
    )
    same(
        "one of all",
        map(fn(k) = pbroadcast(k, "i", 5), axis_name="i", out_axes=none)(flat),
        array(6),
    )
}
# uneven slices: two devices compute some slices
for n in (1, 5, 7) {
    for way in (
        ways[0],
        ways[1],
        ways[2],
        ways[6],
        ways[7],
        ways[8],
        ways[9],
        ways[10],
        ways[12],
        ways[15],
    ) {
        let due = vmap(fn(p) = way(p, n), axis_name="i")(places[:n])
        same("{n}, uneven", pmap(fn(k) = way(k, n), axis_name="i", uneven=true)(keys[:n]), due)
    }
}

# a mesh of two maps, each a pmap or a vmap
let over = (
    fn(x, axes) = all_gather(x, axes),
    fn(x, axes) = all_gather(x, axes, axis=0, tiled=true),
    fn(x, axes) = ppermute(x, axes, ((0, 1), (1, 0))),
    fn(x, axes) = pshuffle(x, axes, ((i + 1) % axis_size(axes) for i in tuple(0..axis_size(axes)))),
    fn(x, axes) = all_to_all(all_gather(x, axes), axes, 0, 1),
    fn(x, axes) = pswapaxes(all_gather(x, axes), axes, 0),
    fn(x, axes) = pbroadcast(x, axes, 1),
)
fn meshed(first, second, way, axes) =
    fn(x) = first(fn(row) = second(fn(one) = way(one, axes), axis_name="j")(row), axis_name="i")(x)
for axes in ("i", "j", ("i", "j"), ("j", "i")) {
    for way in over {
        let due = meshed(vmap, vmap, way, axes)(places[:6, :2])
        for (first, second) in ((vmap, vmap), (pmap, vmap), (vmap, pmap), (pmap, pmap)) {
            same("mesh", meshed(first, second, way, axes)(keys[:6, :2]), due)
        }
    }
}

# keys and numbers are arguments of one function; only the numbers have derivatives
fn drawn(w, k) = pmean(w * random.normal(ppermute(k, "i", ring(6))), "i")
let own = flat[:6]
let due = vmap(fn(k) = random.normal(k))(own[[5, 0, 1, 2, 3, 4]])
for map in (pmap, vmap) {
    let slope = map(grad(drawn), in_axes=(none, 0), axis_name="i")(2.0, own)
    assert(allclose(slope, due, rtol=1e-5), "{slope}, expected {due}")
    let whole = grad(fn(w) = sum(map(drawn, in_axes=(none, 0), axis_name="i")(w, own)))(2.0)
    assert(allclose(whole, sum(due), rtol=1e-5), "{whole}")
}
print("done")
# expect: done
