# Collectives that are made of others. Axes are those of a pmap or vmap around, by name, or tuples of them; x may be a tree.

## pargmax(x, axis_name): the place along the axis of the device that has the greatest value, element by element; the first of several, of NaN the first NaN's. i32, the same
## on every device; with axis_index_groups on every device of a group.
fn pargmax(x, axis_name, axis_index_groups=none) =
    _first_places(x, pmax, axis_name, axis_index_groups)

## pargmin(x, axis_name): the same of the least value.
fn pargmin(x, axis_name, axis_index_groups=none) =
    _first_places(x, pmin, axis_name, axis_index_groups)

fn _first_places(x, extreme, axis_name, groups) {
    let best = extreme(x, axis_name, axis_index_groups=groups)
    tree_map(
        fn(leaf, most) {
            let attained = (leaf == most) or isnan(leaf)  # pmax and pmin of a NaN are NaN
            let place = where(attained, axis_index(axis_name), axis_size(axis_name))
            pmin(place, axis_name, axis_index_groups=groups)
        },
        x,
        best,
    )
}

## pshuffle(x, axis_name, perm): device i gets the value of device perm[i]; perm has every place once.
fn pshuffle(x, axis_name, perm) {
    if kind(perm) != "tuple" {
        _refuse("`perm` is a tuple of places, as (1, 0): square brackets make an array")
    }
    let from = (i for i in perm)
    let size = axis_size(axis_name)
    if len(from) != size { _refuse("`perm` has {len(from)} places, but the axis {size}") }
    ppermute(x, axis_name, ((from[i], i) for i in tuple(0..size)))
}

## pswapaxes(x, axis_name, axis): the axis of the devices in the place of an axis of x, and that one over the devices; x has as many elements along it as the axis, or a group, has places.
fn pswapaxes(x, axis_name, axis, axis_index_groups=none) =
    all_to_all(x, axis_name, axis, axis, axis_index_groups=axis_index_groups)

## pbroadcast(x, axis_name, source): the value of the device at place `source`, on every device. Its cotangents are summed up at the source.
fn pbroadcast(x, axis_name, source) {
    let size = axis_size(axis_name)
    let place = _count(source, "the `source` of `pbroadcast`")
    if place >= size {
        _refuse("`source` is a place from 0 to {size - 1} along the axis, not {place}")
    }
    let here = axis_index(axis_name) == place
    let parts = tree_map(
        fn(leaf) {
            if _is_key(leaf) { return 0 }  # keys have no sum
            let given = asarray(leaf)
            let value = if given.dtype == bool { i32(given) } else { given }
            # between devices -0.0 changes nothing that it is added to; the sum of a batch begins with 0.0
            where(here, value, -zeros_like(value))
        },
        x,
    )
    tree_map(
        fn(total, leaf) {
            if _is_key(leaf) { return all_gather(leaf, axis_name)[place] }
            astype(total, asarray(leaf).dtype)
        },
        psum(parts, axis_name),
        x,
    )
}
