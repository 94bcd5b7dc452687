# Global functions that concatenate, repeat, pad, insert and delete elements.

# ---- shapes of several arrays

## broadcast_shapes(a, b, ...): the shape to which the shapes broadcast, a tuple.
## A shape is a tuple or a number. Shapes that do not broadcast are an error.
fn broadcast_shapes(*shapes) {
    let list = (if kind(s) == "tuple" { s } else { (s,) } for s in shapes)
    let rank = max((len(s) for s in list) + (0,))
    (
        _common_size((s[len(s) - rank + i] for s in _reaching(list, rank - i)), shapes)
        for i in tuple(0..rank)
    )
}
fn _reaching(list, n) {
    mut found = ()
    for s in list { found = if len(s) >= n { found + (s,) } else { found } }
    found
}
fn _common_size(sizes, shapes) {
    mut n = 1
    for size in sizes {
        let k = _known(size)
        if n != 1 and k != 1 and k != n {
            _refuse("the shapes {shapes} do not broadcast: {n} meets {k}")
        }
        n = if n == 1 { k } else { n }
    }
    n
}
## broadcast_arrays(a, b, ...): the tuple of the arrays broadcast to their common shape.
fn broadcast_arrays(*arrays) {
    let shape = broadcast_shapes(*(array(a).shape for a in arrays))
    (broadcast_to(array(a), shape) for a in arrays)
}

# ---- repeating

## repeat(x, repeats, axis=none, total_repeat_length=none): x with every element repeated `repeats` times along `axis`,
## or flattened if `axis` is none. `repeats` is a known number, a tuple of them, or an array i32[n] with one number for
## each element. Negative numbers are an error. The size of the result is total_repeat_length. The result is cut to it,
## or padded with the last element. If it is none, the size for an array `repeats` is its sum. That sum is computed,
## which is possible outside of compiled code only.
fn repeat(x, repeats, axis=none, total_repeat_length=none) {
    if kind(repeats) != "tuple" and array(repeats).ndim == 0 and total_repeat_length == none {
        return _repeat(x, repeats, axis=axis)
    }
    let (y, d) =
        if axis == none { (ravel(x), 0) } else { (array(x), _axes(axis, array(x).ndim)[0]) }
    let n = y.shape[d]
    let given = array(repeats)
    if given.ndim > 1 or
            (given.ndim == 1 and len(given) != n and len(given) != 1) or
            not _is_integer(given) {
        _refuse("`repeat` needs a whole number, or one for each of {n} elements, got {_type(given)}")
    }
    assert(all(given >= 0), "no element of the `repeats` of `repeat` may be negative")
    let counts = broadcast_to(given, (n,))
    let total = if total_repeat_length != none {
        _count(total_repeat_length, "the `total_repeat_length` of `repeat`")
    } else if kind(repeats) == "tuple" {
        if len(repeats) == 1 { n * _known(repeats[0]) } else { _total(repeats) }
    } else {
        _measured(sum(counts), "repeat", "total_repeat_length=n")
    }
    if n == 0 {
        if total > 0 {
            _refuse("`repeat` of no elements has none, got total_repeat_length={total}")
        }
        return y
    }
    let place = searchsorted(cumsum(counts), arange(total), side="right")
    take(y, minimum(place, n - 1), axis=d)
}

fn _total(numbers) {
    mut n = 0
    for k in numbers { n = n + _known(k) }
    n
}

## resize(x, shape): the elements of the flattened x in this shape, repeated cyclically or cut.
## An empty x gives zeros.
fn resize(x, shape) {
    let size = (_known(n) for n in (if kind(shape) == "tuple" { shape } else { (shape,) }))
    let flat = ravel(x)
    let n = prod(size)
    if flat.size == 0 { return zeros(size, dtype=flat.dtype) }
    tile(flat, (n + flat.size - 1) // flat.size)[:n].reshape(size)
}

# ---- padding

## pad(x, pad_width, mode="constant", constant_values=0, end_values=0, stat_length=none): x with padding along its axes.
## pad_width is a number, (before, after), or a tuple of such pairs, one for each axis. The modes "constant", "edge",
## "wrap", "reflect" and "symmetric" are those of NumPy. "empty" pads with zeros. "linear_ramp" pads with a linear ramp
## from the edge to end_values. "maximum", "minimum", "mean" and "median" pad with this statistic of each line, or of
## its stat_length elements nearest to the edge. For integers the ramp is rounded down, and mean and median to the
## nearest integer. constant_values, end_values and stat_length have the form of pad_width.
fn pad(x, pad_width, mode="constant", constant_values=0, end_values=0, stat_length=none) {
    let x = array(x)
    let mode = _known(mode)
    let one_pair = kind(pad_width) == "tuple" and len(pad_width) == 1
    let pad_width = if one_pair { _pairs(pad_width, x.ndim) } else { pad_width }
    if mode == "empty" { return _pad(x, pad_width) }
    if mode == "constant" and kind(constant_values) == "tuple" {
        return _pad_axes(x, pad_width, fn(y, d, before, after) {
            let (a, b) = _pairs(constant_values, y.ndim)[d]
            (_filled(y, d, before, a), _filled(y, d, after, b))
        })
    }
    if mode == "linear_ramp" {
        return _pad_axes(x, pad_width, fn(y, d, before, after) {
            let (a, b) = _pairs(end_values, y.ndim)[d]
            (_ramp(y, d, before, a, true), _ramp(y, d, after, b, false))
        })
    }
    if mode == "maximum" or mode == "minimum" or mode == "mean" or mode == "median" {
        return _pad_axes(x, pad_width, fn(y, d, before, after) {
            let (a, b) =
                if stat_length == none { (none, none) } else { _pairs(stat_length, y.ndim)[d] }
            (_line_value(y, d, before, a, mode, true), _line_value(y, d, after, b, mode, false))
        })
    }
    _pad(x, pad_width, mode=mode, constant_values=constant_values)
}
## A tuple of pairs (before, after), one for each axis, from a number, a pair or a tuple of pairs.
fn _pairs(given, rank) {
    let rank = _known(rank)
    if kind(given) != "tuple" { return ((given, given),) * rank }
    if len(given) == 0 or kind(given[0]) != "tuple" {
        return (if len(given) == 1 { (given[0], given[0]) } else { given },) * rank
    }
    let pairs = (if len(p) == 1 { (p[0], p[0]) } else { p } for p in given)
    if len(pairs) == 1 { pairs * rank } else { pairs }
}
## x padded along one axis after the other, as in NumPy. around(y, d, before, after) is the pair of arrays to put before
## and after y along axis d.
fn _pad_axes(x, pad_width, around) {
    let widths = _pairs(pad_width, x.ndim)
    if len(widths) != x.ndim {
        _refuse("`pad` needs (before, after) for each of {x.ndim} axes, got {len(widths)}")
    }
    mut y = x
    for (d, (before, after)) in tuple(enumerate(widths)) {
        let before = _count(before, "the width of `pad`")
        let after = _count(after, "the width of `pad`")
        if before + after > 0 {
            if y.shape[d] == 0 {
                _refuse("`pad` finds no values in axis {d} of size 0 of {_type(x)}")
            }
            let (low, high) = around(y, d, before, after)
            y = concatenate((low.astype(y.dtype), y, high.astype(y.dtype)), axis=d)
        }
    }
    y
}
fn _with_size(shape, d, n) = shape[:d] + (n,) + shape[d + 1:]
fn _filled(y, d, n, value) = full(_with_size(y.shape, d, n), value, dtype=y.dtype)
fn _ramp(y, d, n, end, before) {
    let edge = _inexact(take(y, if before { 0 } else { -1 }, axis=d))
    let line = linspace(
        broadcast_to(array(end).astype(edge.dtype), edge.shape),
        edge,
        n,
        endpoint=false,
        axis=d,
    )
    let line = if before { line } else { flip(line, axis=d) }
    if _is_float(y) { line } else { floor(line) }
}
fn _line_value(y, d, n, length, mode, before) {
    let size = y.shape[d]
    let k = if length == none {
        size
    } else {
        min((_count(length, "the `stat_length` of `pad`", least=1), size))
    }
    let part =
        if before { slice_in_dim(y, 0, k, axis=d) } else { slice_in_dim(y, size - k, size, axis=d) }
    let value = if mode == "maximum" {
        max(part, axis=d, keepdims=true)
    } else if mode == "minimum" {
        min(part, axis=d, keepdims=true)
    } else {
        let middle = if mode == "mean" { mean(part, axis=d) } else { median(part, axis=d) }
        expand_dims(if _is_float(y) { middle } else { round(middle) }, d)
    }
    broadcast_to(value, _with_size(y.shape, d, n))
}

# ---- inserting and removing elements

## block(arrays): the array assembled from nested tuples of arrays.
## The innermost tuples are concatenated along the last axis, the next ones along the axis before it, and so on. Arrays
## with fewer axes get leading axes of size 1.
fn block(arrays) {
    if _is_numeric(arrays) and array(arrays).ndim > 1 {
        _refuse("`block` takes tuples of arrays, block(((a, b), (c, d))): a list of equal arrays is one array, here {_type(arrays)}")
    }
    let depth = _depth(arrays)
    let rank = max((array(a).ndim for a in tree_leaves(arrays)) + (depth,))
    _block(arrays, rank, rank - depth)
}
fn _depth(x) = if kind(x) == "tuple" { 1 + max((_depth(y) for y in x)) } else { 0 }
fn _block(x, rank, axis) {
    let (rank, axis) = (_known(rank), _known(axis))
    if kind(x) != "tuple" {
        return array(x).reshape((1,) * (rank - array(x).ndim) + array(x).shape)
    }
    concatenate((_block(y, rank, axis + 1) for y in x), axis=axis)
}

## insert(x, places, values, axis=none): x with `values` inserted before the indices `places` along `axis`, or flattened
## if `axis` is none. The indices refer to x before the insertion. A negative one counts from the end, and n appends.
## `places` is a known number, a range, a tuple or an array of integers. `values` broadcast to the inserted slices and
## are converted to the dtype of x.
fn insert(x, places, values, axis=none) {
    let (y, d) =
        if axis == none { (ravel(x), 0) } else { (array(x), _axes(axis, array(x).ndim)[0]) }
    let rows = moveaxis(y, d, 0)
    let n = len(rows)
    let v = array(values)
    let several = _places(places, "insert")
    if several.ndim == 0 {
        let at = _place(places, n, "insert")
        # Several slices can be inserted at one index.
        let shape = if v.ndim < rows.ndim { rows.shape[1:] } else { v.shape }
        let more = if v.ndim < rows.ndim and not (v.ndim == 1 and rows.ndim == 1) {
            broadcast_to(v, shape)[none]
        } else {
            moveaxis(v, d, 0)
        }
        return moveaxis(concatenate((rows[:at], more.astype(rows.dtype), rows[at:])), 0, d)
    }
    if several.dtype == bool {
        _refuse("`insert` takes places, not a mask, got {_type(several)}: flatnonzero(mask) gives them")
    }
    assert(
        all(several >= -n) and all(several <= n),
        "the places of `insert` into {_counted(n, "element", "elements")} must lie from -{n} to {n}",
    )
    let all = where(several < 0, several + n, several)
    let width = if v.ndim == y.ndim {
        _with_size(y.shape, d, len(all))
    } else {
        (len(all),) + rows.shape[1:]
    }
    let given = if v.ndim == y.ndim {
        moveaxis(broadcast_to(v, width), d, 0)
    } else {
        broadcast_to(v, width)
    }
    let order = argsort(concatenate((all * 2, arange(n) * 2 + 1)))
    moveaxis(concatenate((given.astype(rows.dtype), rows))[order], 0, d)
}
## delete(x, places, axis=none, assume_unique_indices=false): x without the elements at the indices `places` along
## `axis`, or flattened if `axis` is none. `places` is a known number, a range, a tuple or an array of integers, or a
## mask bool[n]. For an array or a mask the size of the result is computed, which is possible outside of compiled code
## only. With assume_unique_indices the indices of an array must be distinct, and the size is known. It has no effect on
## a mask.
fn delete(x, places, axis=none, assume_unique_indices=false) {
    let (y, d) =
        if axis == none { (ravel(x), 0) } else { (array(x), _axes(axis, array(x).ndim)[0]) }
    let n = y.shape[d]
    let given = _places(places, "delete")
    if given.ndim == 1 and (_is_numeric(places) or given.dtype == bool) {
        if given.dtype == bool and len(given) != n {
            _refuse("the mask of `delete` must have an element for each of {n}, got {_type(given)}")
        }
        let keep =
            if given.dtype == bool { not given } else { ones(n, dtype=bool) with [given] = false }
        let left = if assume_unique_indices and given.dtype != bool {
            n - len(given)
        } else {
            _measured(count_nonzero(keep), "delete", "assume_unique_indices=true")
        }
        return take(y, nonzero(keep, size=left)[0], axis=d)
    }
    let gone = if given.ndim == 0 { (places,) } else { tuple(places) }
    let gone = (_place(p, n, "delete") for p in gone)
    mut kept = ()
    for i in tuple(0..n) { kept = if _among(i, gone) { kept } else { kept + (i,) } }
    take(y, array(kept + (0,))[:-1], axis=d)
}
## Indices as an array, a number or a vector, or a mask bool[n]. Other values are an error.
fn _places(places, what) {
    let given = if kind(places) == "range" { tuple(places) } else { places }
    let given = if kind(given) == "tuple" and len(given) == 0 { zeros(0, dtype=i32) } else { given }
    let taken = if kind(given) == "tuple" or _is_numeric(given) {
        let places = array(given)
        (places.ndim < 2 and _is_integer(places)) or (places.ndim == 1 and places.dtype == bool)
    } else {
        false
    }
    if not taken {
        let or_mask = if what == "delete" { ", or a mask" } else { "" }
        _refuse("`{what}` takes places: whole numbers, one or several{or_mask}, got {_type(given)}")
    }
    array(given)
}
fn _among(i, list) {
    mut found = false
    for k in list { found = found or k == i }
    found
}
fn _place(p, n, what) {
    let k = _known(p)
    if k < -n or k > n or (k == n and what == "delete") {
        _refuse("the place {k} of `{what}` is outside of {n} elements")
    }
    if k < 0 { k + n } else { k }
}

## trim_zeros(x, trim="fb"): the vector x without its leading ("f") and trailing ("b") zeros.
## The default "fb" removes both. The size of the result is computed, which is possible outside of compiled code only.
fn trim_zeros(x, trim="fb") {
    let x = _vector(x, "trim_zeros")
    let trim = _option(_text_lower(trim), "`trim`", ("fb", "bf", "f", "b"))
    let there = x != 0
    let n = len(x)
    let none_there = not any(there)
    let first =
        if trim == "b" { 0 } else { _measured(where(none_there, n, argmax(there)), "trim_zeros") }
    let last = if trim == "f" {
        n
    } else {
        _measured(where(none_there, first, n - argmax(flip(there))), "trim_zeros")
    }
    x[first:last]
}

## diagflat(x, k=0): the matrix with the flattened x on its k-th diagonal and 0 elsewhere.
fn diagflat(x, k=0) = diag(ravel(x), k)
## fill_diagonal(x, value): x f[n, m, ...] with the elements at [i, i, ...] replaced by `value`, for all i below the
## least size. `value` is a number, or an array, which is flattened and then cut or repeated cyclically. It is converted
## to the dtype of x.
fn fill_diagonal(x, value) {
    let n = min(x.shape)
    let i = arange(n)
    let v = ravel(value)
    let v = if v.size < n { tile(v, (n + v.size - 1) // v.size)[:n] } else { v[:n] }
    if x.ndim == 2 { return x with [i, i] = v.astype(x.dtype) }
    mut steps = 0
    for size in x.shape { steps = steps * size + 1 }
    (ravel(x) with [i * steps] = v.astype(x.dtype)).reshape(x.shape)
}
## rollaxis(x, axis, start=0): x with the axis `axis` moved before the axis `start`, as numpy.rollaxis.
## The order of the other axes does not change.
fn rollaxis(x, axis, start=0) {
    let d = _axes(axis, x.ndim)[0]
    let to = if start < 0 { start + x.ndim } else { _known(start) }
    moveaxis(x, d, if d < to { to - 1 } else { to })
}
## ix_(a, b, ...): the tuple of the vectors as an open grid: vector i has its size along axis i and size 1 along the
## others. For two vectors x[ix_(a, b)[0], ix_(a, b)[1]] selects the rows `a` and the columns `b`.
fn ix_(*vectors) = (
    _vector(v, "ix_").reshape((1,) * i + (-1,) + (1,) * (len(vectors) - 1 - i))
    for (i, v) in tuple(enumerate(vectors))
)
## put_along_axis(x, indices, values, axis=-1): x with `values` at the indices along `axis` that take_along_axis would
## read. `values` broadcast to the shape of `indices` and are converted to the dtype of x. If an index occurs more than
## once, the last value is used.
fn put_along_axis(x, indices, values, axis=-1) {
    let d = _axes(axis, x.ndim)[0]
    let (rows, at) = (moveaxis(x, d, -1), moveaxis(indices, d, -1))
    let v = broadcast_to(moveaxis(broadcast_to(array(values), indices.shape), d, -1), at.shape)
    let wide = broadcast_to(at, rows.shape[:-1] + at.shape[-1:])
    let (n, k) = (rows.shape[-1], wide.shape[-1])
    let lines = rows.reshape((-1, n))
    let count = len(lines)
    let made = lines
        with [arange(count)[:, none], wide.reshape(count, k)] = broadcast_to(v, wide.shape).reshape(
            count,
            k,
        ).astype(x.dtype)
    moveaxis(made.reshape(rows.shape), -1, d)
}
## put(x, indices, values, mode="raise"): x with `values` at indices into the flattened x.
## `values` are flattened, converted to the dtype of x, and cut or repeated cyclically. If an index occurs more than once,
## the last value is used. Negative indices count from the end. An index out of range is an error, or is clipped with
## mode="clip", or taken modulo the size with mode="wrap".
fn put(x, indices, values, mode="raise") {
    let mode = _option(mode, "`mode`", ("raise", "clip", "wrap"))
    let (x, at) = (array(x), ravel(indices))
    if at.size == 0 { return x }
    let i = if mode == "clip" {
        clip(at, 0, x.size - 1)
    } else if mode == "wrap" {
        at % x.size
    } else {
        at
    }
    (ravel(x) with [i] = resize(values, at.size).astype(x.dtype)).reshape(x.shape)
}
## place(x, mask, values): x with the elements for which the mask is true replaced by `values`, in their order.
## The mask has the size of x. `values` are flattened, converted to the dtype of x, and cut or repeated cyclically.
fn place(x, mask, values) {
    let (x, chosen, v) = (array(x), ravel(mask) != 0, ravel(values))
    if len(chosen) != x.size or v.size == 0 {
        _refuse("`place` needs a mask with as many elements as x, and one value at least, got {_type(x)}, {_type(mask)} and {_type(values)}")
    }
    let nth = cumsum(i32(chosen)) - 1
    where(chosen, v[where(chosen, nth, 0) % v.size].astype(x.dtype), ravel(x)).reshape(x.shape)
}
## mask_indices(n, mask_func, k=0, size=none): the row and column indices where mask_func(ones((n, n)), k) is not 0, i32[m]
## each, such as mask_indices(n, triu). Without `size` their number is computed, outside of compiled code only.
fn mask_indices(n, mask_func, k=0, size=none) {
    let mask = mask_func(ones((n, n)), k) != 0
    nonzero(
        mask,
        size=if size == none {
            _measured(count_nonzero(mask), "mask_indices", "size=m")
        } else {
            size
        },
    )
}
## choose(which, choices, mode="raise"): the elements of choices[which], elementwise.
## `which` and the arrays of the tuple `choices` broadcast. Negative indices count from the end. An index out of range is
## an error, or is clipped with mode="clip", or taken modulo the number of choices with mode="wrap".
fn choose(which, choices, mode="raise") {
    let mode = _option(mode, "`mode`", ("raise", "clip", "wrap"))
    let list = broadcast_arrays(which, *choices)
    let n = len(list) - 1
    let i = if mode == "clip" {
        clip(list[0], 0, n - 1)
    } else if mode == "wrap" {
        list[0] % n
    } else {
        list[0]
    }
    take_along_axis(stack(list[1:]), i[none], axis=0)[0]
}

# ---- functions along axes

## apply_along_axis(f, axis, x, *args): the results of f(line, *args) for every line of x along `axis`.
## The axes of a result replace this axis.
fn apply_along_axis(f, axis, x, *args) {
    let d = _axes(axis, x.ndim)[0]
    mut g = fn(line) = f(line, *args)
    for _ in tuple(0..x.ndim - 1) { g = vmap(g) }
    let y = g(moveaxis(x, d, -1))
    let inner = y.ndim - (x.ndim - 1)
    moveaxis(y, tuple(x.ndim - 1..y.ndim), tuple(d..d + inner))
}
## apply_over_axes(f, x, axes): x after f(x, axis) has been applied for each axis of the tuple `axes` in turn.
## An axis that f removes is put back with size 1.
fn apply_over_axes(f, x, axes) {
    mut y = x
    for a in axes {
        let d = _axes(a, x.ndim)[0]
        let z = f(y, d)
        y = if z.ndim == y.ndim { z } else { expand_dims(z, d) }
    }
    y
}
## fromfunction(f, shape, dtype=f32): the results of f(i, j, ...) for the indices of every element of an array of this
## shape. f takes numbers of this dtype. The axes of its results are after those of `shape`. A number `shape` means one
## axis.
fn fromfunction(f, shape, dtype=f32) {
    let size = if kind(shape) == "tuple" { shape } else { (shape,) }
    mut g = f
    for i in tuple(0..len(size)) {
        let axes = ((if j == i { 0 } else { none }) for j in tuple(0..len(size)))
        g = vmap(g, in_axes=axes)
    }
    _from_places(g, size, dtype)
}
fn _from_places(g, size, dtype) {
    # The last vmap is the outermost, so that the mapped axes are in reverse order.
    let y = g(*(arange(n, dtype=dtype) for n in size))
    transpose(y, tuple(reversed(tuple(0..len(size)))) + tuple(len(size)..y.ndim))
}
## vectorize(f, signature=none): the function f mapped over all axes of its arguments, which broadcast.
## f takes numbers. With a signature it takes arrays of the axes that it names. "(n),(n,m)->(m)" maps over all axes but
## the last one of the first argument and the last two of the second.
fn vectorize(f, signature=none) = fn(*args) {
    let own = if signature == none { (0 for _ in args) } else { _own_axes(signature, len(args)) }
    let shapes = (asarray(a).shape for a in args)
    for i in tuple(0..len(args)) {
        if len(shapes[i]) < own[i] {
            fail("`vectorize` with {signature} needs {own[i]} axes or more of argument {i + 1}, not {len(shapes[i])}")
        }
    }
    let front = broadcast_shapes(*(s[:len(s) - k] for (s, k) in zip(shapes, own)))
    let all = (broadcast_to(a, front + s[len(s) - k:]) for (a, s, k) in zip(args, shapes, own))
    mut g = f
    for _ in tuple(0..len(front)) { g = vmap(g) }
    g(*all)
}
fn _own_axes(signature, count) {
    # In "(n),(n,m)" each argument ends with a closing parenthesis.
    let given = _text_split(_text_split(signature, "->")[0], ")")[:-1]
    if len(given) != count {
        fail("the signature {signature} has {len(given)} arguments, but {count} are given")
    }
    let names = (_text_split(part, "(")[-1] for part in given)
    ((if n == "" { 0 } else { len(_text_split(n, ",")) }) for n in names)
}
