# Data for the devices of pmap. All functions take trees. `shard` is a function in C++.

## replicate(tree): the tree with each array repeated along a new axis 0, [device_count(), ...].
## With in_axes=0 pmap then gives the whole array to every device.
fn replicate(tree) =
    tree_map(fn(x) = broadcast_to(asarray(x), (device_count(),) + asarray(x).shape), tree)

## unreplicate(tree): the tree with the value x[0] of each array, that of the first device.
fn unreplicate(tree) = tree_map(fn(x) = asarray(x)[0], tree)

## pad_to(tree, multiple=none, axis=0): (padded, mask): the tree padded with zeros along `axis` to the next multiple of
## `multiple`, and a mask of its data. The zeros are after the data. All arrays must have the same size n along `axis`.
## If `multiple` is none it is the number of devices. mask bool[padded size] is true for the first n elements.
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
## The common size of the arrays of a tree along an axis. Different sizes are an error.
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
