# Global functions: gather and scatter of jax.lax, with dimension numbers, and products of groups of rows. Programs that
# are not translated from JAX use x[i] and `x with [i] += v`, which need no dimension numbers.
#
# Each vector of indices gives the start of a window of x. A window has a size along every axis of x. `batch` below are
# the axes of the indices without the last one, which holds the elements of the vector.

## GatherDimensionNumbers(offset_dims, collapsed_slice_dims, start_index_map, operand_batching_dims=(), start_indices_batching_dims=()):
## the record of these fields, for gather. offset_dims are the axes of the result that come from the window. The window
## has size 1 along collapsed_slice_dims, which the result does not have. Element k of an index vector is the start along
## the axis start_index_map[k] of x. Axis operand_batching_dims[k] of x goes along axis start_indices_batching_dims[k] of
## the indices.
fn GatherDimensionNumbers(
    offset_dims,
    collapsed_slice_dims,
    start_index_map,
    operand_batching_dims=(),
    start_indices_batching_dims=(),
) = {
    offset_dims,
    collapsed_slice_dims,
    start_index_map,
    operand_batching_dims,
    start_indices_batching_dims,
}
## ScatterDimensionNumbers(update_window_dims, inserted_window_dims, scatter_dims_to_operand_dims, operand_batching_dims=(), scatter_indices_batching_dims=()):
## the record of these fields, for scatter. update_window_dims are the axes of the updates that belong to the window. The
## window has size 1 along inserted_window_dims, which the updates do not have. The others are as in
## GatherDimensionNumbers, with scatter_dims_to_operand_dims in place of start_index_map.
fn ScatterDimensionNumbers(
    update_window_dims,
    inserted_window_dims,
    scatter_dims_to_operand_dims,
    operand_batching_dims=(),
    scatter_indices_batching_dims=(),
) = {
    update_window_dims,
    inserted_window_dims,
    scatter_dims_to_operand_dims,
    operand_batching_dims,
    scatter_indices_batching_dims,
}

## The integers from 0 to n - 1 that are not in `list`.
fn _other_axes(n, list) {
    mut found = ()
    for d in tuple(0.._known(n)) { found = if _among(d, list) { found } else { found + (d,) } }
    found
}
## (indices into the flattened x i32[batch, sizes...], whether each window lies within x bool[batch]).
## `sizes` has the size of the window along each axis of x. The starts are clipped such that the windows lie within x.
fn _window_places(x, indices, sizes, map, x_batch, index_batch, what) {
    let lead = indices.shape[:-1]
    if indices.ndim == 0 or indices.shape[-1] != len(map) or len(x_batch) != len(index_batch) {
        _refuse("`{what}` needs indices i32[..., {len(map)}], one for each axis of x that has starts, got {_type(indices)}")
    }
    mut inside = ones(lead, dtype=bool)
    mut flat = zeros(lead + (1,) * x.ndim, dtype=i32)
    for d in tuple(0..x.ndim) {
        let most = x.shape[d] - sizes[d]
        if most < 0 {
            _refuse("a window of `{what}` has size {sizes[d]} along axis {d} of {_type(x)}")
        }
        mut start = zeros(lead, dtype=i32)
        for k in tuple(0..len(map)) { if map[k] == d { start = indices[..., k] } }
        for k in tuple(0..len(x_batch)) {
            if x_batch[k] == d { start = broadcasted_iota(i32, lead, index_batch[k]) }
        }
        inside = inside and start >= 0 and start <= most
        let begin = i32(clip(start, 0, most)).reshape(lead + (1,) * x.ndim)
        let along = arange(sizes[d]).reshape((1,) * d + (-1,) + (1,) * (x.ndim - 1 - d))
        flat = flat * x.shape[d] + begin + along
    }
    (flat, inside)
}
## A mode of JAX in small letters, with `usual` in place of none.
fn _window_mode(mode, usual, what) = _option(
    if mode == none { usual } else { _text_lower(mode) },
    "the `mode` of `{what}`",
    ("fill", "drop", "clip", "promise_in_bounds"),
)

## gather(x, start_indices, dimension_numbers, slice_sizes, mode=none, fill_value=none): the windows of x at the
## starts, as jax.lax.gather. start_indices is i32[batch, k], and slice_sizes has the size of a window along each axis of
## x. dimension_numbers is a record with the fields of GatherDimensionNumbers. The result has the axes `batch`, in order,
## and those of the window at offset_dims. With mode none, "clip" and "promise_in_bounds" the start of a window that is
## not within x is clipped. With "fill" such a window is fill_value: by default NaN, for integers the least number, or
## the greatest of unsigned ones.
fn gather(x, start_indices, dimension_numbers, slice_sizes, mode=none, fill_value=none) {
    let (x, at, d) = (array(x), array(start_indices), dimension_numbers)
    let mode = _window_mode(mode, "clip", "gather")
    if len(slice_sizes) != x.ndim {
        _refuse("`gather` needs a size for each of {_counted(x.ndim, "axis", "axes")}, got {len(slice_sizes)}")
    }
    let (x_batch, index_batch) = _batching(d, "start_indices_batching_dims")
    let (places, inside) =
        _window_places(x, at, slice_sizes, d.start_index_map, x_batch, index_batch, "gather")
    let found = ravel(x)[places]
    let filled = if mode == "fill" {
        let fill = if fill_value != none { fill_value } else { _missing(x) }
        where(inside.reshape(inside.shape + (1,) * x.ndim), found, fill).astype(x.dtype)
    } else {
        found
    }
    let rank = inside.ndim
    let kept = _other_axes(x.ndim, tuple(d.collapsed_slice_dims) + x_batch)
    if len(kept) != len(d.offset_dims) {
        _refuse("`gather` needs one of the `offset_dims` for each axis of the window that is kept, {len(kept)}, got {d.offset_dims}")
    }
    let y = filled.reshape(inside.shape + (slice_sizes[k] for k in kept))
    moveaxis(y, tuple(rank..y.ndim), d.offset_dims)
}
## The axes of batches in dimension numbers: those of x, and those of the indices in the field `name`.
fn _batching(d, name) {
    let of_x = if "operand_batching_dims" in d { tuple(d.operand_batching_dims) } else { () }
    (of_x, if name in d { tuple(d[name]) } else { () })
}
## The value of a missing element in JAX.
fn _missing(x) {
    if x.dtype == bool { return true }
    if not _is_integer(x) { return nan }
    let info = iinfo(x)
    if info.min == 0 { info.max } else { info.min }
}

## scatter(x, scatter_indices, updates, dimension_numbers, mode=none): x with windows replaced by the updates, as
## jax.lax.scatter. scatter_indices is i32[batch, k]. `updates` has the axes `batch`, in order, and those of the window at
## update_window_dims. dimension_numbers is a record with the fields of ScatterDimensionNumbers. With mode none, "fill" or
## "drop" an update that is not within x has no effect. With "clip" and "promise_in_bounds" its start is clipped. If
## windows overlap, one of the updates is used.
fn scatter(x, scatter_indices, updates, dimension_numbers, mode=none) = _scattered(
    fn(y, i, v) = y with [i] = v,
    x,
    scatter_indices,
    updates,
    dimension_numbers,
    mode,
    "scatter",
)
## scatter_add(x, scatter_indices, updates, dimension_numbers, mode=none): x with the updates added to its windows.
## The arguments are those of scatter. Every update of overlapping windows counts.
fn scatter_add(x, scatter_indices, updates, dimension_numbers, mode=none) = _scattered(
    fn(y, i, v) = y with [i] += v,
    x,
    scatter_indices,
    updates,
    dimension_numbers,
    mode,
    "scatter_add",
)
## scatter_sub(x, scatter_indices, updates, dimension_numbers, mode=none): x with the updates subtracted from its windows.
## The arguments are those of scatter. Every update of overlapping windows counts.
fn scatter_sub(x, scatter_indices, updates, dimension_numbers, mode=none) = _scattered(
    fn(y, i, v) = y with [i] -= v,
    x,
    scatter_indices,
    updates,
    dimension_numbers,
    mode,
    "scatter_sub",
)
## scatter_mul(x, scatter_indices, updates, dimension_numbers, mode=none): x with its windows multiplied by the updates.
## The arguments are those of scatter. Every update of overlapping windows counts.
fn scatter_mul(x, scatter_indices, updates, dimension_numbers, mode=none) = _scattered(
    fn(y, i, v) = y with [i] *= v,
    x,
    scatter_indices,
    updates,
    dimension_numbers,
    mode,
    "scatter_mul",
)
## scatter_min(x, scatter_indices, updates, dimension_numbers, mode=none): the least of the windows of x and the updates.
## The arguments are those of scatter. Every update of overlapping windows counts.
fn scatter_min(x, scatter_indices, updates, dimension_numbers, mode=none) = _scattered(
    fn(y, i, v) = y with [i] min= v,
    x,
    scatter_indices,
    updates,
    dimension_numbers,
    mode,
    "scatter_min",
)
## scatter_max(x, scatter_indices, updates, dimension_numbers, mode=none): the greatest of the windows of x and the
## updates. The arguments are those of scatter. Every update of overlapping windows counts.
fn scatter_max(x, scatter_indices, updates, dimension_numbers, mode=none) = _scattered(
    fn(y, i, v) = y with [i] max= v,
    x,
    scatter_indices,
    updates,
    dimension_numbers,
    mode,
    "scatter_max",
)
fn _scattered(change, x, scatter_indices, updates, dimension_numbers, mode, what) {
    let (x, at, u, d) = (array(x), array(scatter_indices), array(updates), dimension_numbers)
    let mode = _window_mode(mode, "drop", what)
    let (x_batch, index_batch) = _batching(d, "scatter_indices_batching_dims")
    let rank = at.ndim - 1
    let window = _other_axes(x.ndim, tuple(d.inserted_window_dims) + x_batch)
    if u.ndim != rank + len(window) or len(d.update_window_dims) != len(window) {
        _refuse("`{what}` needs updates with the {_counted(rank, "axis", "axes")} of the indices and {len(window)} `update_window_dims`, got {_type(u)}")
    }
    let v = moveaxis(u, d.update_window_dims, tuple(rank..u.ndim))
    mut sizes = (1,) * x.ndim
    for (i, k) in tuple(enumerate(window)) { sizes = _replace(sizes, k, v.shape[rank + i]) }
    if v.shape[:rank] != at.shape[:-1] {
        _refuse("`{what}` needs an update for each index vector, got {_type(u)} for {_type(at)}")
    }
    let (places, inside) = _window_places(
        x,
        at,
        sizes,
        d.scatter_dims_to_operand_dims,
        x_batch,
        index_batch,
        what,
    )
    let n = x.size
    # One more element takes the updates that have no effect.
    let kept = mode == "clip" or mode == "promise_in_bounds"
    let to = if kept {
        places
    } else {
        where(inside.reshape(inside.shape + (1,) * x.ndim), places, n)
    }
    change(pad(ravel(x), (0, 1)), ravel(to), ravel(v).astype(x.dtype))[:n].reshape(x.shape)
}

## ragged_dot(x, w, group_sizes, precision=none, preferred_element_type=none): the products f[m, n] of groups of rows of
## x f[m, k] with the matrices w f[g, k, n]. The first group_sizes[0] rows are multiplied by w[0], the next
## group_sizes[1] rows by w[1], and so on. group_sizes is i32[g]. Rows after the last group are zeros. The time is that
## of g products of x. `precision` and preferred_element_type are those of matmul.
fn ragged_dot(x, w, group_sizes, precision=none, preferred_element_type=none) {
    let (x, w) = (
        _of_rank(x, 2, "ragged_dot", "x f[m, k]"),
        _of_rank(w, 3, "ragged_dot", "matrices f[g, k, n]"),
    )
    let sizes = _vector(group_sizes, "ragged_dot")
    if w.shape[1] != x.shape[1] or len(sizes) != len(w) {
        _refuse("`ragged_dot` needs x f[m, k], w f[g, k, n] and sizes i32[g], got {_type(x)}, {_type(w)} and {_type(sizes)}")
    }
    let group = searchsorted(cumsum(sizes), arange(len(x)), side="right")
    let product =
        fn(m) = matmul(x, m, precision=precision, preferred_element_type=preferred_element_type)
    let dtype =
        if preferred_element_type == none { result_type(x, w) } else { preferred_element_type }
    mut y = zeros((len(x), w.shape[2]), dtype=dtype)
    for g in 0..len(w) { y = where(group[:, none] == g, product(w[g]), y) }
    y
}
