# Collectives, with gradients, in loops and branches that all devices execute together. Some values are known to be equal on all devices.
# slow: yes
# devices: 2 4
# configs: compiled evaluate mixed-3
import "_collectives.pm" as table

let maps = (
    ("pmap", fn(f, out_axes=0) = pmap(f, axis_name="i", out_axes=out_axes)),
    ("vmap", fn(f, out_axes=0) = vmap(f, axis_name="i", out_axes=out_axes)),
)
## The mean of the results of all devices.
fn means(f_all, x) = mean(f_all(x).reshape((table.n, -1)), axis=1).reshape((table.n,) + (1,) * (x.ndim - 1))
## Each form of control flow: {for one device, for all devices}. The conditions are equal on all devices.
fn forms(f, f_all) = (
    (
        "scan",
        fn(x) {
            let (last, each) = scan(fn(c, r) = (c * r + 1.0, f(x * c + r)), 0.5, [1.0f64, 1.5f64, 2.0f64])
            (each, f(last * x))
        },
        fn(x) {
            let (last, each) = scan(fn(c, r) = (c * r + 1.0, f_all(x * c + r)), 0.5, [1.0f64, 1.5f64, 2.0f64])
            (moveaxis(each, 0, 1), f_all(last * x))
        },
    ),
    (
        "for",
        fn(x) {
            mut sum = zeros_like(f(x))
            for k in 0..3 { sum += sin(f(x * k)) }
            sum
        },
        fn(x) = sin(f_all(0.0 * x)) + sin(f_all(x)) + sin(f_all(2.0 * x)),
    ),
    (
        "if",
        fn(x) = if pmax(sum(x), "i") > 0.0 { f(x * x) } else { f(x) },
        fn(x) = if max(sum(x.reshape((table.n, -1)), axis=1)) > 0.0 { f_all(x * x) } else { f_all(x) },
    ),
    (
        "cond",
        fn(x) = cond(psum(sum(x), "i") > 1000.0, fn(t) = f(t), fn(t) = f(sin(t)), x),
        fn(x) = f_all(sin(x)),
    ),
    (
        "switch",
        fn(x) = switch(i32(pmin(axis_index("i"), "i")) + 1, (fn(t) = f(t), fn(t) = f(t * t), fn(t) = f(-t)), x),
        fn(x) = f_all(x * x),
    ),
    (
        "while",
        fn(x) {
            mut (k, y) = (0, x)
            while pmean(f64(k), "i") < 2.0 {
                y = y + 0.1 * mean(f(y))
                k += 1
            }
            f(y)
        },
        fn(x) {
            let y = x + 0.1 * means(f_all, x)
            f_all(y + 0.1 * means(f_all, y))
        },
    ),
    (
        "if in while",
        fn(x) {
            mut (k, y) = (0, x)
            while pmean(f64(k), "i") < 3.0 {
                y = if psum(sum(y), "i") > 0.0 { 0.5 * y - 0.3 * mean(f(y)) - 0.2 } else { y * y + mean(f(y)) }
                k += 1
            }
            y
        },
        fn(x) {
            mut y = x
            for k in 0..3 {
                y = if sum(y) > 0.0 { 0.5 * y - 0.3 * means(f_all, y) - 0.2 } else { y * y + means(f_all, y) }
            }
            y
        },
    ),
    (
        "checkpoint",
        fn(x) = checkpoint(fn(t) = sin(f(t * t)))(x),
        fn(x) = sin(f_all(x * x)),
    ),
)
fn check(one, map_name, map) {
    let x = table.sample((table.n,) + one.shape)
    for (form, f, f_all) in forms(one.f, one.all) {
        let what = "{one.name}, {map_name}, {form}"
        let y = f_all(x)
        table.near("{what}: value", map(f)(x), y)
        let loss = fn(f) = fn(t) = tree_sum(tree_map(fn(leaf) = sum(leaf * table.sample(leaf.shape, 3.0)), f(t)))
        table.near("{what}: gradient", grad(loss(map(f)))(x), grad(loss(f_all))(x))
        if one.equal and form != "if in while" {
            let all = map(f, out_axes=none)(x)
            table.near("{what}: one for all", all, tree_map(fn(leaf) = leaf[0], y))
        }
    }
}
let names = ("all_gather", "ppermute of some", "all_to_all tiled", "pbroadcast", "psum", "pmean", "psum_scatter", "pmax", "psum of groups", "pmax of groups", "psum_scatter of groups")
for one in table.moving + table.adding + table.choosing + table.within_groups {
    if one.name in names {
        for (map_name, map) in maps { check(one, map_name, map) }
    }
}
print("done")
# expect: done
