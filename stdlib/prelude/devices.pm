# Data for the devices of pmap. Trees everywhere; `shard` itself is in C++.

## replicate(tree): every array once for each device along a new axis 0, [device_count(), ...]: what pmap then gives every device whole.
fn replicate(tree) =
    tree_map(fn(x) = broadcast_to(asarray(x), (device_count(),) + asarray(x).shape), tree)

## unreplicate(tree): the first device's value of every array, without axis 0.
fn unreplicate(tree) = tree_map(fn(x) = asarray(x)[0], tree)

## pad_to(tree, multiple=none, axis=0): (padded, mask). The arrays, which have n elements along the axis, with zeros behind them up to the next multiple, by default of the
## number of devices; and bool[padded size], true for the n elements of the data.
fn pad_to(tree, multiple=none, axis=0) {
    let k = if multiple == none {
        device_count()
    } else {
        _count(multiple, "the `multiple` of `pad_to`", least=1)
    }
    let n = _extent(tree, axis, "pad_to")
    let size = (n + k - 1) // k * k
    let padded = tree_map(
        fn(leaf) {
            let x = asarray(leaf)
            let d = _axes(axis, x.ndim)[0]
            concatenate((x, zeros(_with_size(x.shape, d, size - n), dtype=x.dtype)), axis=d)
        },
        tree,
    )
    (padded, arange(size) < n)
}
## How many elements the arrays of a tree have along an axis, all the same number.
fn _extent(tree, axis, what) {
    let sizes = (_length(asarray(x), axis) for x in tree_leaves(tree))
    if len(sizes) == 0 { _refuse("`{what}` needs a tree with one array at least") }
    for n in sizes {
        if n != sizes[0] {
            _refuse("`{what}` needs arrays of one size along axis {axis}, got {sizes[0]} and {n}")
        }
    }
    sizes[0]
}
