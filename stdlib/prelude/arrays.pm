# Global functions that make arrays and change their shapes.

# ---- making arrays

## empty(shape, dtype=f32): an array to be filled; its elements are 0.
fn empty(shape, dtype=f32) = zeros(shape, dtype=dtype)
## empty_like(x, dtype=none, shape=none): zeros_like.
fn empty_like(x, dtype=none, shape=none) = zeros_like(x, dtype=dtype, shape=shape)
## identity(n, dtype=f32): the unit matrix, dtype[n, n].
fn identity(n, dtype=f32) = eye(n, dtype=dtype)

## logspace(start, stop, num=50, endpoint=true, base=10.0, dtype=none, axis=0): powers of base, the exponents evenly spaced from start to stop.
fn logspace(start, stop, num=50, endpoint=true, base=10.0, dtype=none, axis=0) {
    let y = base ** linspace(start, stop, num, endpoint=endpoint, axis=axis)
    if dtype == none { y } else { y.astype(dtype) }
}

## geomspace(start, stop, num=50, endpoint=true, dtype=none, axis=0): from start to stop, both above or both below 0, with a constant ratio.
fn geomspace(start, stop, num=50, endpoint=true, dtype=none, axis=0) {
    let (a, b) = (_inexact(array(start)), _inexact(array(stop)))
    let together = all(a * b > 0)
    assert(
        together,
        "the ends of `geomspace` must be both above or both below 0, got {start} and {stop}",
    )
    let logs = linspace(log(abs(a)), log(abs(b)), num, endpoint=endpoint, axis=axis)
    let below = broadcast_to(a, broadcast_shapes(a.shape, b.shape)) < 0
    let y = where(expand_dims(below, axis), -1, 1) * exp(logs)
    if dtype == none { y } else { y.astype(dtype) }
}

## tri(N, M=none, k=0, dtype=f32): ones on and below the k-th diagonal, dtype[N, M].
fn tri(N, M=none, k=0, dtype=f32) = tril(ones((N, if M == none { N } else { M }), dtype=dtype), k)

## diag(x, k=0): a matrix with x on its k-th diagonal, or the k-th diagonal of a matrix.
fn diag(x, k=0) {
    if x.ndim == 2 { return diagonal(x, offset=k) }
    let k = _known(k)
    let n = len(x) + (if k < 0 { -k } else { k })
    let filled = if k < 0 { pad(x, (0, -k))[none, :] } else { pad(x, (0, k))[:, none] }
    where(eye(n, n, k, dtype=bool), filled, zeros((), dtype=x.dtype))
}

## diagonal(x, offset=0, axis1=0, axis2=1): the diagonal of two axes, which become the last one.
fn diagonal(x, offset=0, axis1=0, axis2=1) {
    let k = _known(offset)
    let (a, b) = (_axes(axis1, x.ndim)[0], _axes(axis2, x.ndim)[0])
    let y = moveaxis(moveaxis(x, a, -1), if b > a { b - 1 } else { b }, -1)
    let (rows, columns) =
        if k < 0 { (y.shape[-2] + k, y.shape[-1]) } else { (y.shape[-2], y.shape[-1] - k) }
    let n = if rows < columns { rows } else { columns }
    let i = arange(if n < 0 { 0 } else { n })
    y[..., i + (if k < 0 { -k } else { 0 }), i + (if k > 0 { k } else { 0 })]
}

fn _last_diagonal(x, offset) = diagonal(x, offset=offset, axis1=-2, axis2=-1)

## trace(x, offset=0, axis1=0, axis2=1, dtype=none): the sum of the diagonal.
fn trace(x, offset=0, axis1=0, axis2=1, dtype=none) =
    sum(diagonal(x, offset=offset, axis1=axis1, axis2=axis2), axis=-1, dtype=dtype)

## diag_indices(n, ndim=2): (i, i, ...) for the diagonal of an array of ndim axes of size n.
fn diag_indices(n, ndim=2) = (arange(n),) * _count(ndim, "the `ndim` of `diag_indices`")

## tril_indices(n, k=0, m=none): rows and columns of the elements of a matrix [n, m] (none: [n, n]) on and below the k-th diagonal, a tuple of i32[...].
fn tril_indices(n, k=0, m=none) {
    let m = if m == none { n } else { m }
    nonzero(tri(n, m, k=k, dtype=bool), size=_below(n, k, m))
}
## triu_indices(n, k=0, m=none): rows and columns of the elements of a matrix [n, m] (none: [n, n]) on and above the k-th diagonal, a tuple of i32[...].
fn triu_indices(n, k=0, m=none) {
    let m = if m == none { n } else { m }
    nonzero(not tri(n, m, k=k - 1, dtype=bool), size=_known(n) * _known(m) - _below(n, k - 1, m))
}

## How many elements of an n x m matrix stand on and below the k-th diagonal.
fn _below(n, k, m) {
    let (n, k, m) = (_known(n), _known(k), _known(m))
    # row i has i + k + 1 of them, none or all of its elements where that is not within 0 .. m
    let first = min((max((0, -k)), n))
    let full = min((max((first, m - k)), n))
    let (a, b) = (first + k + 1, full + k)
    (full - first) * (a + b) // 2 + (n - full) * m
}

## vander(x, N=none, increasing=false): columns x^(N-1) ... x^0, or x^0 ... x^(N-1), f[m] -> f[m, N].
fn vander(x, N=none, increasing=false) {
    let n = if N == none { len(x) } else { _count(N, "the `N` of `vander`", least=1) }
    let powers = if increasing { tuple(0..n) } else { tuple(reversed(tuple(0..n))) }
    stack((x ** i for i in powers), axis=-1)
}

## meshgrid(x, y=none, z=none, w=none, indexing="xy", sparse=false): a tuple of arrays that hold each coordinate at each point of the grid. "xy" puts y's axis first, "ij" x's.
## sparse: with size 1 along the other axes.
fn meshgrid(x, y=none, z=none, w=none, indexing="xy", sparse=false) {
    let indexing = _option(indexing, "`indexing`", ("xy", "ij"))
    mut axes = (ravel(x),)
    for more in (y, z, w) { axes = if more == none { axes } else { axes + (ravel(more),) } }
    let shape = (len(a) for a in axes)
    let grids = (_along_one(a, i, shape, sparse) for (i, a) in tuple(enumerate(axes)))
    if indexing == "xy" and len(axes) > 1 { (swapaxes(g, 0, 1) for g in grids) } else { grids }
}
fn _along_one(a, i, shape, sparse) {
    let i = _known(i)
    let line = a.reshape((1,) * i + (len(a),) + (1,) * (len(shape) - 1 - i))
    if sparse { line } else { broadcast_to(line, shape) }
}

## indices(shape, dtype=i32, sparse=false): each element's place along every axis, i32[len(shape), ...]; sparse: a tuple of them, with size 1 along the
## other axes.
fn indices(shape, dtype=i32, sparse=false) {
    let lines = (arange(n, dtype=dtype) for n in shape)
    let all = (_along_one(a, i, shape, sparse) for (i, a) in tuple(enumerate(lines)))
    if sparse { all } else { stack(all) }
}

## one_hot(x, num_classes, dtype=f32, axis=-1): a new axis with 1 at x and 0 elsewhere; all 0 where x is out of range. i32[...] -> f32[..., n].
fn one_hot(x, num_classes, dtype=f32, axis=-1) {
    if not _is_numeric(x) or _is_float(x) {
        _refuse("`one_hot` needs the numbers of classes, i32[...], got {_type(x)}")
    }
    let n = _count(num_classes, "the `num_classes` of `one_hot`")
    let hot = (array(x)[..., none] == arange(n)).astype(dtype)
    if axis == -1 { hot } else { moveaxis(hot, -1, axis) }
}

## hanning(n): signal.hann, a window of 0.5 - 0.5 cos, f32[n].
fn hanning(n) = signal.hann(n)
## hamming(n): signal.hamming, a window of 0.54 - 0.46 cos, f32[n].
fn hamming(n) = signal.hamming(n)
## bartlett(n): signal.bartlett, a window like a triangle, f32[n].
fn bartlett(n) = signal.bartlett(n)
## blackman(n): signal.blackman, a window of two cosines, f32[n].
fn blackman(n) = signal.blackman(n)
## kaiser(n, beta): signal.kaiser, a window of a Bessel function, f32[n].
fn kaiser(n, beta) = signal.kaiser(n, beta)

# ---- shapes

## atleast_1d(x): x, a number as [1].
fn atleast_1d(x) = if array(x).ndim == 0 { array(x).reshape(1) } else { array(x) }
## atleast_2d(x): x, a vector as one row [1, n].
fn atleast_2d(x) = if array(x).ndim < 2 { array(x).reshape((1, -1)) } else { array(x) }
## atleast_3d(x): x, a matrix as [n, m, 1], a vector as [1, n, 1].
fn atleast_3d(x) {
    let x = array(x)
    if x.ndim > 2 { return x }
    if x.ndim == 2 { x[:, :, none] } else { x.reshape((1, -1, 1)) }
}

## vstack((a, b, ...)): rows below each other, along axis 0; vectors are rows.
fn vstack(arrays) = concatenate((atleast_2d(a) for a in tuple(arrays)), axis=0)
## hstack((a, b, ...)): side by side, along axis 1; vectors end to end.
fn hstack(arrays) {
    let parts = (atleast_1d(a) for a in tuple(arrays))
    concatenate(parts, axis=if parts[0].ndim == 1 { 0 } else { 1 })
}
## dstack((a, b, ...)): along axis 2; matrices as [n, m, 1], vectors as [1, n, 1].
fn dstack(arrays) = concatenate((atleast_3d(a) for a in tuple(arrays)), axis=2)
## column_stack((a, b, ...)): vectors as columns beside each other, [n, k].
fn column_stack(arrays) =
    concatenate((if a.ndim == 1 { a[:, none] } else { a } for a in tuple(arrays)), axis=1)
## concat(arrays, axis=0): as concatenate.
fn concat(arrays, axis=0) = concatenate(arrays, axis=axis)
## append(x, values, axis=none): values behind x along an axis; flattened when none is given.
fn append(x, values, axis=none) = if axis == none {
    concatenate((ravel(x), ravel(values)))
} else {
    concatenate((x, values), axis=axis)
}
## unstack(x, axis=0): a tuple of the slices along an axis.
fn unstack(x, axis=0) = tuple(moveaxis(x, axis, 0))
## vsplit(x, indices_or_sections): split along axis 0.
fn vsplit(x, indices_or_sections) = split(x, indices_or_sections, axis=0)
## hsplit(x, indices_or_sections): split along axis 1 (a vector along its axis).
fn hsplit(x, indices_or_sections) =
    split(x, indices_or_sections, axis=if x.ndim == 1 { 0 } else { 1 })
## dsplit(x, indices_or_sections): split along axis 2.
fn dsplit(x, indices_or_sections) = split(x, indices_or_sections, axis=2)

## array_split(x, indices_or_sections, axis=0): n parts, the first ones longer by one where the size does not divide; or cut
## before the places of a tuple, as split.
fn array_split(x, indices_or_sections, axis=0) {
    if kind(indices_or_sections) == "tuple" { return split(x, indices_or_sections, axis=axis) }
    let (size, n) = (
        _length(x, axis),
        _count(indices_or_sections, "the number of parts of `array_split`", least=1),
    )
    let (each, more) = (size // n, size % n)
    split(x, (i * each + (if i < more { i } else { more }) for i in tuple(1..n)), axis=axis)
}

## fliplr(x): axis 1 reversed.
fn fliplr(x) = flip(x, axis=1)
## flipud(x): axis 0 reversed.
fn flipud(x) = flip(x, axis=0)
## matrix_transpose(x): the last two axes exchanged.
fn matrix_transpose(x) = swapaxes(x, -1, -2)
## rev(x, dimensions): reversed along these axes.
fn rev(x, dimensions) = flip(x, axis=dimensions)

## rot90(x, k=1, axes=(0, 1)): turned by k quarters, from the first axis to the second.
fn rot90(x, k=1, axes=(0, 1)) {
    let k = _known(k) % 4
    if k == 0 { return x }
    if k == 2 { return flip(x, axis=axes) }
    let (a, b) = axes
    if k == 1 { swapaxes(flip(x, axis=b), a, b) } else { flip(swapaxes(x, a, b), axis=b) }
}

## ravel_multi_index(indices, shape, mode="raise"): the place in the flattened array of an index for each axis; indices outside of 0 .. n - 1 are an error, or
## by mode "clip" and "wrap" made one of them.
fn ravel_multi_index(indices, shape, mode="raise") {
    let mode = _option(mode, "`mode`", ("raise", "clip", "wrap"))
    mut at = 0
    for (i, n) in tuple(zip(indices, shape)) {
        if mode == "raise" {
            assert(
                all(i >= 0) and all(i < n),
                "an index of `ravel_multi_index` must lie within the shape",
            )
        }
        at =
            at * n + (if mode == "raise" {
                i
            } else if mode == "clip" {
                clip(i, 0, n - 1)
            } else {
                i % n
            })
    }
    at
}
## unravel_index(i, shape): the index along each axis of place i of the flattened array, a tuple.
fn unravel_index(i, shape) {
    mut rest = i
    let size = prod(shape)
    assert(
        all(i >= -size) and all(i < size),
        "a place of `unravel_index` must lie within the shape",
    )
    mut found = ()
    for n in reversed(shape) {
        found = (rest % n,) + found
        rest = rest // n
    }
    found
}

## diff(x, n=1, axis=-1, prepend=none, append=none): differences of neighbours, n times; prepend and append, numbers or arrays, stand in front of
## and behind x first.
fn diff(x, n=1, axis=-1, prepend=none, append=none) {
    mut y = moveaxis(array(x), axis, 0)
    if prepend != none { y = concatenate((_rows_like(prepend, y, axis), y)) }
    if append != none { y = concatenate((y, _rows_like(append, y, axis))) }
    for _ in tuple(0.._count(n, "the `n` of `diff`")) {
        y = if y.dtype == bool { y[1:] != y[:-1] } else { y[1:] - y[:-1] }
    }
    moveaxis(y, 0, axis)
}
fn _rows_like(part, y, axis) {
    let v = array(part)
    if v.ndim == 0 { broadcast_to(v, (1,) + y.shape[1:]) } else { moveaxis(v, axis, 0) }
}

## ediff1d(x, to_end=none, to_begin=none): differences of neighbours of the flattened x, between to_begin and to_end.
fn ediff1d(x, to_end=none, to_begin=none) {
    mut y = diff(ravel(x))
    if to_begin != none { y = concatenate((ravel(to_begin).astype(y.dtype), y)) }
    if to_end != none { y = concatenate((y, ravel(to_end).astype(y.dtype))) }
    y
}

## gradient(y, dx=1.0, dy=none, dz=none, axis=none): central differences, one-sided at the ends. One axis gives an array, several (none: all) a tuple of them.
## Distances of the elements: dx for all axes, or one for each of up to three axes: a number, or the places f[n] of the elements.
fn gradient(y, dx=1.0, dy=none, dz=none, axis=none) {
    let f = _inexact(array(y))
    let axes = _axes(axis, f.ndim)
    let distances = if dy == none { (dx,) } else if dz == none { (dx, dy) } else { (dx, dy, dz) }
    if len(distances) > 1 and len(distances) != len(axes) {
        _refuse("`gradient` needs one distance, or one for each of {len(axes)} axes, got {len(distances)}")
    }
    let found = (
        _slope(f, d, distances[if len(distances) == 1 { 0 } else { i }])
        for (i, d) in tuple(enumerate(axes))
    )
    if len(found) == 1 { found[0] } else { found }
}
fn _slope(f, d, distance) {
    let y = moveaxis(f, d, 0)
    if len(y) < 2 {
        _refuse("`gradient` needs two elements at least along axis {d}, got {_type(f)}")
    }
    let h = if _is_numeric(distance) { distance } else { array(distance) }
    if h.ndim == 0 {
        let inner = (y[2:] - y[:-2]) / (2 * h)
        return moveaxis(concatenate(((y[1:2] - y[:1]) / h, inner, (y[-1:] - y[-2:-1]) / h)), 0, d)
    }
    if h.shape != (len(y),) {
        _refuse("`gradient` needs a place for each of {len(y)} elements, got {_type(h)}")
    }
    let steps = diff(h).reshape((len(y) - 1,) + (1,) * (y.ndim - 1))
    let (a, b) = (steps[:-1], steps[1:])
    let inner = (a * a * y[2:] + (b * b - a * a) * y[1:-1] - b * b * y[:-2]) / (a * b * (a + b))
    let ends = ((y[1:2] - y[:1]) / steps[:1], (y[-1:] - y[-2:-1]) / steps[-1:])
    moveaxis(concatenate((ends[0], inner, ends[1])), 0, d)
}

## copy(x): x; nothing is ever changed in place.
fn copy(x) = array(x)
## asarray(x, dtype=none): array(x, dtype).
fn asarray(x, dtype=none) = array(x, dtype=dtype)
## ndim(x): how many axes x has.
fn ndim(x) = array(x).ndim
## tril_indices_from(x, k=0): tril_indices of a matrix's sizes.
fn tril_indices_from(x, k=0) = tril_indices(x.shape[0], k=k, m=x.shape[1])
## triu_indices_from(x, k=0): triu_indices of a matrix's sizes.
fn triu_indices_from(x, k=0) = triu_indices(x.shape[0], k=k, m=x.shape[1])
## diag_indices_from(x): the places of the diagonal of an array whose axes have one size, a number of them as x has axes.
fn diag_indices_from(x) = (arange(len(x)),) * x.ndim
