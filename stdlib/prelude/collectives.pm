# Collectives that are composed of others. Their axes are those of an enclosing pmap or vmap, named by a string, or a
# tuple of names. x may be a tree.

## pargmax(x, axis_name, axis_index_groups=none): the index along the axis of the device with the greatest value, i32,
## elementwise. Of equal values it is the first index. With NaN it is that of the first NaN. The result is the same on
## every device. With axis_index_groups only the devices of a group are compared, and the result is the same within it.
fn pargmax(x, axis_name, axis_index_groups=none) =
    _first_places(x, pmax, axis_name, axis_index_groups)

## pargmin(x, axis_name, axis_index_groups=none): the index along the axis of the device with the least value, i32,
## elementwise. Ties, NaN and axis_index_groups are as in pargmax.
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

## pshuffle(x, axis_name, perm): the value of x on device perm[i], for device i of the axis.
## `perm` is a tuple that has every index of the axis exactly once.
fn pshuffle(x, axis_name, perm) {
    if kind(perm) != "tuple" {
        _refuse("`perm` is a tuple of places, as (1, 0): square brackets make an array")
    }
    let from = (i for i in perm)
    let size = axis_size(axis_name)
    if len(from) != size { _refuse("`perm` has {len(from)} places, but the axis {size}") }
    ppermute(x, axis_name, ((from[i], i) for i in tuple(0..size)))
}

## pswapaxes(x, axis_name, axis, axis_index_groups=none): x with the axis of the devices and the axis `axis` of x swapped.
## Device i gets slice i of every device, stacked along `axis` in the order of the devices. The size of `axis` must be
## that of the axis of devices, or of a group with axis_index_groups. The shape does not change.
fn pswapaxes(x, axis_name, axis, axis_index_groups=none) =
    all_to_all(x, axis_name, axis, axis, axis_index_groups=axis_index_groups)

## pbroadcast(x, axis_name, source): the value of x on the device with index `source`, on every device.
## In reverse mode the cotangents are summed at the source. `source` is a known index from 0. An index that is out of
## range is an error.
fn pbroadcast(x, axis_name, source) {
    let size = axis_size(axis_name)
    let place = _count(source, "the `source` of `pbroadcast`")
    if place >= size {
        _refuse("`source` is a place from 0 to {size - 1} along the axis, not {place}")
    }
    let here = axis_index(axis_name) == place
    let parts = tree_map(
        fn(leaf) {
            if _is_key(leaf) { return 0 }  # keys cannot be added: they are gathered below
            let given = asarray(leaf)
            let value = if given.dtype == bool { i32(given) } else { given }
            # -0.0 is the identity of the sum over devices. The sum under vmap starts with 0.0, so that -0.0 becomes
            # 0.0.
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
