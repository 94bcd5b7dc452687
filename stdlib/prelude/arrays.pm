# Global functions that create arrays and change their shapes.

# ---- creating arrays

## empty(shape, dtype=f32): an array of zeros of this shape and dtype, to be filled by the program.
fn empty(shape, dtype=f32) = zeros(shape, dtype=dtype)
## empty_like(x, dtype=none, shape=none): an array of zeros with the shape and dtype of x, as zeros_like.
## `dtype` and `shape` replace those of x.
fn empty_like(x, dtype=none, shape=none) = zeros_like(x, dtype=dtype, shape=shape)
## identity(n, dtype=f32): the identity matrix, dtype[n, n].
fn identity(n, dtype=f32) = eye(n, dtype=dtype)

## logspace(start, stop, num=50, endpoint=true, base=10.0, dtype=none, axis=0): the powers of `base` with `num`
## exponents evenly spaced from `start` to `stop`. With endpoint=false the exponent `stop` is excluded. For numbers the
## shape is f[num]. For arrays `start` and `stop` the powers are along the new axis `axis`. If `dtype` is none, the
## result has the dtype of the computed floats.
fn logspace(start, stop, num=50, endpoint=true, base=10.0, dtype=none, axis=0) {
    let y = base ** linspace(start, stop, num, endpoint=endpoint, axis=axis)
    if dtype == none { y } else { y.astype(dtype) }
}

## geomspace(start, stop, num=50, endpoint=true, dtype=none, axis=0): `num` numbers from `start` to `stop` with a
## constant ratio, f[num]. `start` and `stop` must be both above 0 or both below 0. With endpoint=false the number
## `stop` is excluded. For arrays `start` and `stop` the numbers are along the new axis `axis`. If `dtype` is none, the
## result is of floats.
fn geomspace(start, stop, num=50, endpoint=true, dtype=none, axis=0) {
    let (a, b) = (_inexact(array(start)), _inexact(array(stop)))
    let together = all(sign(a) * sign(b) > 0)
    assert(
        together,
        "the ends of `geomspace` must be both above or both below 0, got {start} and {stop}",
    )
    let logs = linspace(log10(f64(abs(a))), log10(f64(abs(b))), num, endpoint=endpoint, axis=axis)
    let below = broadcast_to(a, broadcast_shapes(a.shape, b.shape)) < 0
    let inner = where(expand_dims(below, axis), -1, 1) * (10.0 ** logs).astype(result_type(a, b))
    # The ends are exact.
    let i = broadcasted_iota(i32, inner.shape, _axes(axis, inner.ndim)[0])
    let last = if endpoint { inner.shape[axis] - 1 } else { inner.shape[axis] }
    let (first, end) = (expand_dims(broadcast_to(x, below.shape), axis) for x in (a, b))
    let y = where(i == 0, first, where(i == last, end, inner))
    if dtype == none { y } else { y.astype(dtype) }
}

## tri(N, M=none, k=0, dtype=f32): the matrix with ones on and below the k-th diagonal and zeros above, dtype[N, M].
## If M is none it is N. A positive `k` is above the main diagonal.
fn tri(N, M=none, k=0, dtype=f32) = tril(ones((N, if M == none { N } else { M }), dtype=dtype), k)

## diag(x, k=0): the matrix with the vector x on its k-th diagonal, or the k-th diagonal of a matrix x.
## For f[n] the result is f[n + |k|, n + |k|] with 0 elsewhere. For f[n, m] it is a vector. A positive `k` is above the
## main diagonal.
fn diag(x, k=0) {
    if x.ndim == 2 { return diagonal(x, offset=k) }
    let k = _known(k)
    let n = len(x) + (if k < 0 { -k } else { k })
    let filled = if k < 0 { pad(x, (0, -k))[none, :] } else { pad(x, (0, k))[:, none] }
    where(eye(n, n, k, dtype=bool), filled, zeros((), dtype=x.dtype))
}

## diagonal(x, offset=0, axis1=0, axis2=1): the diagonal of the axes axis1 and axis2, as the last axis of the result.
## The other axes keep their order. The elements are those with index i along axis1 and i + offset along axis2.
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

## trace(x, offset=0, axis1=0, axis2=1, dtype=none): the sum of the diagonal of the axes axis1 and axis2.
## The two axes are removed. `offset` selects the diagonal as in diagonal, and `dtype` is that of the sum.
fn trace(x, offset=0, axis1=0, axis2=1, dtype=none) =
    sum(diagonal(x, offset=offset, axis1=axis1, axis2=axis2), axis=-1, dtype=dtype)

## diag_indices(n, ndim=2): the indices (i, i, ...) of the diagonal of an array with `ndim` axes of size n.
## Each is i32[n].
fn diag_indices(n, ndim=2) = (arange(n),) * _count(ndim, "the `ndim` of `diag_indices`")

## tril_indices(n, k=0, m=none): the row and column indices of the elements on and below the k-th diagonal of an n x m
## matrix. The result is a pair of i32[...] in row-major order. If m is none it is n.
fn tril_indices(n, k=0, m=none) {
    let m = if m == none { n } else { m }
    nonzero(tri(n, m, k=k, dtype=bool), size=_below(n, k, m))
}
## triu_indices(n, k=0, m=none): the row and column indices of the elements on and above the k-th diagonal of an n x m
## matrix. The result is a pair of i32[...] in row-major order. If m is none it is n.
fn triu_indices(n, k=0, m=none) {
    let m = if m == none { n } else { m }
    nonzero(not tri(n, m, k=k - 1, dtype=bool), size=_known(n) * _known(m) - _below(n, k - 1, m))
}

## The number of elements of an n x m matrix on and below the k-th diagonal.
fn _below(n, k, m) {
    let (n, k, m) = (_known(n), _known(k), _known(m))
    # Row i has i + k + 1 of them, clipped to 0 .. m. This count is a series from row `first` up to row `full`.
    let first = min((max((0, -k)), n))
    let full = min((max((first, m - k)), n))
    let (a, b) = (first + k + 1, full + k)
    (full - first) * (a + b) // 2 + (n - full) * m
}

## vander(x, N=none, increasing=false): the Vandermonde matrix of x, f[m] -> f[m, N], with the columns x^(N-1), ...,
## x^0. With `increasing` the columns are x^0, ..., x^(N-1). If N is none it is the size of x.
fn vander(x, N=none, increasing=false) {
    let n = if N == none { len(x) } else { _count(N, "the `N` of `vander`", least=1) }
    let powers = if increasing { tuple(0..n) } else { tuple(reversed(tuple(0..n))) }
    stack((x ** i for i in powers), axis=-1)
}

## meshgrid(x, y=none, z=none, w=none, indexing="xy", sparse=false): the coordinate arrays of a grid, a tuple with one
## array for each of x, y, z and w that is given. Each input is flattened. With indexing="ij" the axes of the grid are
## those of x, y, z and w. With "xy" the first two axes are swapped, so that y has axis 0. With `sparse` each array has
## size 1 along the axes of the other coordinates.
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

## indices(shape, dtype=i32, sparse=false): the index of each element of an array of this shape along every axis,
## dtype[len(shape), ...]. With `sparse` the result is a tuple of one array for each axis, with size 1 along the other
## axes.
fn indices(shape, dtype=i32, sparse=false) {
    let lines = (arange(n, dtype=dtype) for n in shape)
    let all = (_along_one(a, i, shape, sparse) for (i, a) in tuple(enumerate(lines)))
    if sparse { all } else { stack(all) }
}

## one_hot(x, num_classes, dtype=f32, axis=-1): the one-hot encoding of class indices x along a new axis of size
## num_classes, i32[...] -> f32[..., n]. The elements are 1 at index x and 0 elsewhere. They are all 0 where x is out of
## range. `axis` is the index of the new axis. x must not be floats.
fn one_hot(x, num_classes, dtype=f32, axis=-1) {
    if not _is_numeric(x) or _is_float(x) {
        _refuse("`one_hot` needs the numbers of classes, i32[...], got {_type(x)}")
    }
    let n = _count(num_classes, "the `num_classes` of `one_hot`")
    let hot = (array(x)[..., none] == arange(n)).astype(dtype)
    if axis == -1 { hot } else { moveaxis(hot, -1, axis) }
}

## hanning(n): the symmetric Hann window 0.5 - 0.5 cos(t) with t from 0 to 2 pi, f32[n].
## It is signal.hann.
fn hanning(n) = signal.hann(n)
## hamming(n): the symmetric Hamming window 0.54 - 0.46 cos(t) with t from 0 to 2 pi, f32[n].
## It is signal.hamming.
fn hamming(n) = signal.hamming(n)
## bartlett(n): the symmetric triangular window with 0 at both ends, f32[n].
## It is signal.bartlett.
fn bartlett(n) = signal.bartlett(n)
## blackman(n): the symmetric Blackman window 0.42 - 0.5 cos(t) + 0.08 cos(2 t) with t from 0 to 2 pi, f32[n].
## It is signal.blackman.
fn blackman(n) = signal.blackman(n)
## kaiser(n, beta): the symmetric Kaiser window i0(beta sqrt(1 - d^2)) / i0(beta) with d from -1 to 1, f32[n].
## It is signal.kaiser.
fn kaiser(n, beta) = signal.kaiser(n, beta)

# ---- shapes

## atleast_1d(x): x as an array of at least one axis. A number becomes [1].
fn atleast_1d(x) = if array(x).ndim == 0 { array(x).reshape(1) } else { array(x) }
## atleast_2d(x): x as an array of at least two axes. A vector becomes one row [1, n], a number [1, 1].
fn atleast_2d(x) = if array(x).ndim < 2 { array(x).reshape((1, -1)) } else { array(x) }
## atleast_3d(x): x as an array of at least three axes.
## A matrix becomes [n, m, 1], a vector [1, n, 1] and a number [1, 1, 1].
fn atleast_3d(x) {
    let x = array(x)
    if x.ndim > 2 { return x }
    if x.ndim == 2 { x[:, :, none] } else { x.reshape((1, -1, 1)) }
}

## vstack((a, b, ...)): the arrays concatenated along axis 0, with each vector f[n] as a row [1, n].
fn vstack(arrays) = concatenate((atleast_2d(a) for a in tuple(arrays)), axis=0)
## hstack((a, b, ...)): the arrays concatenated along axis 1, or along axis 0 if they are vectors or numbers.
fn hstack(arrays) {
    let parts = (atleast_1d(a) for a in tuple(arrays))
    concatenate(parts, axis=if parts[0].ndim == 1 { 0 } else { 1 })
}
## dstack((a, b, ...)): the arrays concatenated along axis 2.
## Matrices are taken as [n, m, 1] and vectors as [1, n, 1].
fn dstack(arrays) = concatenate((atleast_3d(a) for a in tuple(arrays)), axis=2)
## column_stack((a, b, ...)): the arrays concatenated along axis 1, with each vector f[n] as a column [n, 1].
fn column_stack(arrays) =
    concatenate((if a.ndim == 1 { a[:, none] } else { a } for a in tuple(arrays)), axis=1)
## concat(arrays, axis=0): the arrays concatenated along `axis`, as concatenate.
fn concat(arrays, axis=0) = concatenate(arrays, axis=axis)
## unstack(x, axis=0): the tuple of the slices of x along `axis`, which they do not have.
fn unstack(x, axis=0) = tuple(moveaxis(x, axis, 0))
## vsplit(x, indices_or_sections): the tuple of the parts of x along axis 0, as split.
fn vsplit(x, indices_or_sections) = split(x, indices_or_sections, axis=0)
## hsplit(x, indices_or_sections): the tuple of the parts of x along axis 1, or of a vector along axis 0, as split.
fn hsplit(x, indices_or_sections) =
    split(x, indices_or_sections, axis=if x.ndim == 1 { 0 } else { 1 })
## dsplit(x, indices_or_sections): the tuple of the parts of x along axis 2, as split.
fn dsplit(x, indices_or_sections) = split(x, indices_or_sections, axis=2)

## array_split(x, indices_or_sections, axis=0): the tuple of the parts of x along `axis`, n parts for a number n.
## Their sizes differ by at most 1: if n does not divide the size, the first parts are longer by one. A tuple of indices
## cuts before each of them, as split.
fn array_split(x, indices_or_sections, axis=0) {
    if kind(indices_or_sections) == "tuple" { return split(x, indices_or_sections, axis=axis) }
    let (size, n) = (
        _length(x, axis),
        _count(indices_or_sections, "the number of parts of `array_split`", least=1),
    )
    let (each, more) = (size // n, size % n)
    split(x, (i * each + (if i < more { i } else { more }) for i in tuple(1..n)), axis=axis)
}

## fliplr(x): x in reverse order along axis 1.
fn fliplr(x) = flip(x, axis=1)
## flipud(x): x in reverse order along axis 0.
fn flipud(x) = flip(x, axis=0)
## matrix_transpose(x): x with its last two axes swapped, f[..., n, m] -> f[..., m, n].
fn matrix_transpose(x) = swapaxes(x, -1, -2)
## rev(x, dimensions): x in reverse order along the axes `dimensions`, as flip.
fn rev(x, dimensions) = flip(x, axis=dimensions)

## rot90(x, k=1, axes=(0, 1)): x rotated k times by 90 degrees in the plane of the two axes.
## The rotation is from the first axis to the second. For a matrix and default axes it is counterclockwise.
fn rot90(x, k=1, axes=(0, 1)) {
    let k = _known(k) % 4
    if k == 0 { return x }
    if k == 2 { return flip(x, axis=axes) }
    let (a, b) = axes
    if k == 1 { swapaxes(flip(x, axis=b), a, b) } else { flip(swapaxes(x, a, b), axis=b) }
}

## ravel_multi_index(indices, shape, mode="raise"): the index into the flattened array of this shape, from a tuple of
## one index for each axis. With mode="raise" an index outside of 0 .. n - 1 is an error. "clip" clips it to this range,
## and "wrap" takes it modulo n.
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
## unravel_index(i, shape): the tuple of the indices along each axis, from an index i into the flattened array of this
## shape. A negative i counts from the end. An index out of range is an error.
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

## diff(x, n=1, axis=-1, prepend=none, append=none): the n-th difference of x along `axis`: x[i + 1] - x[i], repeated n
## times. Each repetition reduces the size by 1. Of bools it is x[i + 1] != x[i]. `prepend` and `append` are first
## concatenated before and after x. They are arrays, or numbers, which count as one slice.
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

## ediff1d(x, to_end=none, to_begin=none): the differences of adjacent elements of the flattened x, f[n - 1].
## to_begin is concatenated before and to_end after them, each flattened and converted to the dtype of the differences.
fn ediff1d(x, to_end=none, to_begin=none) {
    mut y = diff(ravel(x))
    if to_begin != none { y = concatenate((ravel(to_begin).astype(y.dtype), y)) }
    if to_end != none { y = concatenate((y, ravel(to_end).astype(y.dtype))) }
    y
}

## gradient(y, dx=1.0, dy=none, dz=none, axis=none): the derivative of samples y along `axis`, by central differences,
## or one-sided ones at the ends. For one axis the result is an array, for several a tuple of arrays. If `axis` is none
## it is along all axes. dx is the spacing for all axes. With dy, or dy and dz, each of two or three axes has its own. A
## spacing is a number, or the coordinates f[n] of the elements. Each axis needs at least two elements.
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

## copy(x): x as an array; arrays are immutable, so that no copy is needed.
fn copy(x) = array(x)
## asarray(x, dtype=none): x as an array, with this dtype unless it is none. It is `array`.
let asarray = array
## ndim(x): the number of axes of x.
fn ndim(x) = array(x).ndim
## tril_indices_from(x, k=0): the row and column indices of the elements of a matrix x on and below its k-th diagonal.
## They are tril_indices for the sizes of x.
fn tril_indices_from(x, k=0) = tril_indices(x.shape[0], k=k, m=x.shape[1])
## triu_indices_from(x, k=0): the row and column indices of the elements of a matrix x on and above its k-th diagonal.
## They are triu_indices for the sizes of x.
fn triu_indices_from(x, k=0) = triu_indices(x.shape[0], k=k, m=x.shape[1])
## diag_indices_from(x): the indices (i, i, ...) of the diagonal of x, whose axes all have the same size n.
## There is one i32[n] for each axis. Equal sizes are not checked.
fn diag_indices_from(x) = (arange(len(x)),) * x.ndim
