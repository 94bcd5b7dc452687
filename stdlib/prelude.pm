# What every program sees besides the functions written in C++: the vocabulary of jax.numpy and jax.lax that is said in the language itself.
# Names that begin with _ are for this library. Shapes stand in the comments; "..." are axes in front.

let inf = float("inf")
let nan = float("nan")
let pi = 3.141592653589793
let euler_gamma = 0.5772156649015329
let newaxis = none
## The arguments of the program, a tuple of strings.
let args = program_arguments()

# ---- helpers

## x as floats: i64 and u64 become f64, other integers and bools f32.
fn _inexact(x) =
    if _is_float(x) { x } else if x.dtype == i64 or x.dtype == u64 { f64(x) } else { f32(x) }

## args with element i replaced by v.
fn _replace(list, i, v) = list[:i] + (v,) + list[i + 1:]

fn _length(x, axis) = x.shape[_axes(axis, x.ndim)[0]]

# ---- what a function of the library needs: told in terms of the call, before anything is computed. `what` is the function's name.

## A value's dtype and shape as messages show them: f32[2, 3].
fn _type(x) {
    if kind(x) != "array" and kind(x) != "number" { return kind(x) }
    let x = array(x)
    if x.ndim == 0 {
        "{x.dtype}"
    } else {
        "{x.dtype}[{_text_join(("{n}" for n in x.shape), ", ")}]"
    }
}

fn _is_numeric(x) = kind(x) == "array" or kind(x) == "number"

## x, an array of a known number of axes; `form` shows them.
fn _of_rank(x, rank, what, form) {
    if not _is_numeric(x) or array(x).ndim != _known(rank) {
        _refuse("`{what}` needs {form}, got {_type(x)}")
    }
    array(x)
}
fn _vector(x, what) = _of_rank(x, 1, what, "a vector f[n]")

## x with this many axes at least.
fn _of_rank_at_least(x, rank, what, form) {
    if not _is_numeric(x) or array(x).ndim < _known(rank) {
        _refuse("`{what}` needs {form}, got {_type(x)}")
    }
    array(x)
}

## How many rows the arrays of a tree have, all the same number.
fn _row_count(tree, what) {
    let leaves = (array(x) for x in tree_leaves(tree))
    if len(leaves) == 0 { _refuse("`{what}` needs a tree with one array at least") }
    for x in leaves {
        if x.ndim == 0 or len(x) != len(leaves[0]) {
            _refuse(
                "`{what}` needs arrays with one number of rows, got {_type(leaves[0])} and {_type(x)}",
            )
        }
    }
    len(leaves[0])
}

## A number of things: a known integer, `least` or more. `what` is the argument's name.
fn _count(n, what, least=0) {
    if not _is_numeric(n) or array(n).ndim > 0 {
        _refuse("{what} is an integer of at least {least}, got {_type(n)}")
    }
    let k = _known(n)
    if k != k // 1 or k < _known(least) {
        _refuse("{what} is an integer of at least {least}, got {k}")
    }
    k
}

# ---- means and spread: x f[...] (i64 and u64 count as f64, other integers as f32) -> over `axis`, an int, a tuple or none for all

## mean(x, axis=none, keepdims=false): the arithmetic mean over axes.
fn mean(x, axis=none, keepdims=false) {
    let x = _inexact(x)
    let s = sum(_wide(x), axis=axis, keepdims=keepdims)
    _like(s / (if s.size == 0 { 1 } else { x.size // s.size }), x)
}

# Sums of halves overflow or lose what their mean does not: it is computed in f32 and rounded at the end.
fn _is_half(x) = x.dtype == f16 or x.dtype == bf16
fn _wide(x) = if _is_half(x) { f32(x) } else { x }
fn _like(y, x) = if _is_half(x) { y.astype(x.dtype) } else { y }

## var(x, axis=none, ddof=0, keepdims=false): the mean squared distance from the mean; divided by n - ddof.
fn var(x, axis=none, ddof=0, keepdims=false) {
    let wide = _wide(_inexact(x))
    let s = sum((wide - mean(wide, axis=axis, keepdims=true)) ** 2, axis=axis, keepdims=keepdims)
    _like(s / ((if s.size == 0 { 1 } else { wide.size // s.size }) - ddof), _inexact(x))
}

## std(x, axis=none, ddof=0, keepdims=false): the square root of var.
fn std(x, axis=none, ddof=0, keepdims=false) = sqrt(var(x, axis=axis, ddof=ddof, keepdims=keepdims))

## average(x, axis=none, weights=none): the mean, weighted. weights has x's shape, or one axis as long as x's `axis`.
fn average(x, axis=none, weights=none) {
    if weights == none { return mean(x, axis=axis) }
    let w = if weights.ndim == x.ndim {
        _inexact(weights)
    } else {
        let at = _axes(axis, x.ndim)[0]
        _inexact(weights).reshape((1,) * at + (len(weights),) + (1,) * (x.ndim - 1 - at))
    }
    sum(x * w, axis=axis) / sum(broadcast_to(w, x.shape), axis=axis)
}

## ptp(x, axis=none, keepdims=false): the greatest less the least.
fn ptp(x, axis=none, keepdims=false) =
    max(x, axis=axis, keepdims=keepdims) - min(x, axis=axis, keepdims=keepdims)

## quantile(x, q, axis=none): the value below which a part q (0 to 1, a number or an array) of x lies, linear in between.
## Shape: q's, then x's without the axis. NaN where x holds one.
fn quantile(x, q, axis=none) {
    let x = _inexact(x)
    let rows = sort(if axis == none { x.reshape(-1) } else { moveaxis(x, axis, 0) }, axis=0)
    let at = clip(q, 0, 1) * (len(rows) - 1)
    if len(rows) == 0 { return zeros(at.shape + rows.shape[1:], dtype=rows.dtype) + nan }
    let low = floor(at)
    let part = (at - low).astype(rows.dtype)
    let part = part.reshape(part.shape + (1,) * (rows.ndim - 1))
    let mixed = rows[low.astype(i32)] * (1 - part) + rows[ceil(at).astype(i32)] * part
    where(isnan(rows[-1]), nan, mixed)
}

## percentile(x, q, axis=none): quantile with q from 0 to 100.
fn percentile(x, q, axis=none) = quantile(x, q / 100, axis=axis)

## median(x, axis=none): the value in the middle, or the mean of the two there.
fn median(x, axis=none) = quantile(x, 0.5, axis=axis)

## logsumexp(x, axis=none, b=none, keepdims=false): log(sum(b * exp(x))) without overflow.
fn logsumexp(x, axis=none, b=none, keepdims=false) {
    let x = _inexact(x)
    let top = stop_gradient(max(x, axis=axis, keepdims=true))
    let top = where(isfinite(top), top, 0)
    let terms = if b == none { exp(x - top) } else { b * exp(x - top) }
    let s = log(sum(terms, axis=axis, keepdims=true)) + top
    if keepdims { s } else { s.reshape(sum(x, axis=axis).shape) }
}

## nansum(x, axis=none, keepdims=false): the sum of what is not NaN.
fn nansum(x, axis=none, keepdims=false) = sum(where(isnan(x), 0, x), axis=axis, keepdims=keepdims)
## nanprod(x, axis=none, keepdims=false): the product of what is not NaN.
fn nanprod(x, axis=none, keepdims=false) = prod(where(isnan(x), 1, x), axis=axis, keepdims=keepdims)
## nanmax(x, axis=none, keepdims=false): the greatest that is not NaN; NaN where all are. Integers keep their dtype.
fn nanmax(x, axis=none, keepdims=false) {
    if not _is_float(x) { return max(x, axis=axis, keepdims=keepdims) }
    _or_nan(max(where(isnan(x), -inf, x), axis=axis, keepdims=keepdims), x, axis, keepdims)
}
## nanmin(x, axis=none, keepdims=false): the least that is not NaN; NaN where all are. Integers keep their dtype.
fn nanmin(x, axis=none, keepdims=false) {
    if not _is_float(x) { return min(x, axis=axis, keepdims=keepdims) }
    _or_nan(min(where(isnan(x), inf, x), axis=axis, keepdims=keepdims), x, axis, keepdims)
}
fn _or_nan(found, x, axis, keepdims) =
    where(all(isnan(x), axis=axis, keepdims=keepdims), nan, found)
## nanmean(x, axis=none, keepdims=false): the mean of what is not NaN; NaN where there is nothing.
fn nanmean(x, axis=none, keepdims=false) {
    let wide = _wide(_inexact(x))
    let count = sum((not isnan(wide)).astype(wide.dtype), axis=axis, keepdims=keepdims)
    _like(nansum(wide, axis=axis, keepdims=keepdims) / count, _inexact(x))
}
## nanvar(x, axis=none, ddof=0, keepdims=false): the variance of what is not NaN.
fn nanvar(x, axis=none, ddof=0, keepdims=false) {
    let wide = _wide(_inexact(x))
    let there = not isnan(wide)
    let gap = where(there, wide - nanmean(wide, axis=axis, keepdims=true), 0)
    let count = sum(there.astype(wide.dtype), axis=axis, keepdims=keepdims)
    _like(sum(gap ** 2, axis=axis, keepdims=keepdims) / (count - ddof), _inexact(x))
}
## nanstd(x, axis=none, ddof=0, keepdims=false): the standard deviation of what is not NaN.
fn nanstd(x, axis=none, ddof=0, keepdims=false) =
    sqrt(nanvar(x, axis=axis, ddof=ddof, keepdims=keepdims))

## trapezoid(y, x=none, dx=1.0, axis=-1): the integral of y by the trapezoid rule.
fn trapezoid(y, x=none, dx=1.0, axis=-1) {
    let y = moveaxis(_inexact(y), axis, -1)
    let step =
        if x == none { dx } else if x.ndim == 1 { diff(x) } else { diff(moveaxis(x, axis, -1)) }
    0.5 * sum(step * (y[..., 1:] + y[..., :-1]), axis=-1)
}

## cov(x, y=none, rowvar=true, ddof=1): the covariance matrix of variables in rows (rowvar=false: columns), f[k, n] -> f[k, k].
fn cov(x, y=none, rowvar=true, ddof=1) {
    let rows = atleast_2d(if rowvar or x.ndim == 1 { x } else { x.T })
    let rows = if y == none {
        rows
    } else {
        concatenate((rows, atleast_2d(if rowvar or y.ndim == 1 { y } else { y.T })))
    }
    let gap = rows - mean(rows, axis=1, keepdims=true)
    squeeze(gap @ gap.T / (rows.shape[1] - ddof))
}

## corrcoef(x, y=none, rowvar=true): the correlation matrix of variables in rows.
fn corrcoef(x, y=none, rowvar=true) {
    let c = cov(x, y=y, rowvar=rowvar)
    if c.ndim == 0 { return c / c }
    let d = sqrt(diagonal(c))
    clip(c / d[:, none] / d[none, :], -1, 1)
}

# ---- comparing

## isclose(a, b, rtol=1e-5, atol=1e-8, equal_nan=false): |a - b| <= atol + rtol * |b| for each element, bool.
fn isclose(a, b, rtol=1e-5, atol=1e-8, equal_nan=false) {
    let (x, y) = (_inexact(a), _inexact(b))
    let near = (abs(x - y) <= atol + rtol * abs(y)) and isfinite(x) and isfinite(y)
    let same = near or x == y
    if equal_nan { same or (isnan(x) and isnan(y)) } else { same }
}

## allclose(a, b, rtol=1e-5, atol=1e-8, equal_nan=false): whether isclose holds for every element.
fn allclose(a, b, rtol=1e-5, atol=1e-8, equal_nan=false) =
    all(isclose(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan))

## array_equal(a, b, equal_nan=false): whether a and b have one shape and equal elements.
fn array_equal(a, b, equal_nan=false) {
    if a.shape != b.shape { return false }
    if equal_nan and _is_float(a) and _is_float(b) {
        all(a == b or (isnan(a) and isnan(b)))
    } else {
        all(a == b)
    }
}

## array_equiv(a, b): whether a and b are equal after broadcasting.
fn array_equiv(a, b) = all(a == b)

## isin(x, values): for each element of x whether it is one of `values`, bool.
fn isin(x, values) = any(array(x)[..., none] == ravel(values), axis=-1)

# ---- elementwise

## nan_to_num(x, nan=0.0, posinf=none, neginf=none): x with numbers for NaN and the infinities (none: the greatest and least of the dtype).
fn nan_to_num(x, nan=0.0, posinf=none, neginf=none) {
    if not _is_float(x) { return x }
    let limit = finfo(x)
    let y = where(isnan(x), nan, x)
    let y = where(x == inf, if posinf == none { limit.max } else { posinf }, y)
    where(x == -inf, if neginf == none { limit.min } else { neginf }, y)
}

## positive(x): x.
fn positive(x) = x
## absolute(x): abs(x).
fn absolute(x) = abs(x)
## fabs(x): abs(x) as floats.
fn fabs(x) = abs(_inexact(x))

## sinc(x): sin(pi x) / (pi x), 1 at 0.
fn sinc(x) {
    let y = pi * _inexact(x)
    where(y == 0, 1 - y * y / 6, sin(y) / where(y == 0, 1, y))
}

## heaviside(x, at_zero): 0 below zero, 1 above, at_zero at it.
fn heaviside(x, at_zero) = where(x < 0, 0.0, where(x > 0, 1.0, where(isnan(x), x, at_zero)))

## logaddexp2(a, b): log2(2^a + 2^b).
fn logaddexp2(a, b) = logaddexp(a * 0.6931471805599453, b * 0.6931471805599453) / 0.6931471805599453

## divmod(x, y): (x // y, x % y).
fn divmod(x, y) = (x // y, x % y)
## modf(x): (the part behind the point, the whole part), both with x's sign.
fn modf(x) = (x - trunc(x), trunc(x))
## fix(x): rounded to zero.
fn fix(x) = trunc(x)
## ldexp(x, e): x * 2^e, elementwise.
fn ldexp(x, e) = _inexact(x) * exp2(_inexact(e))

## gcd(a, b): the greatest common divisor of integers, elementwise.
fn gcd(a, b) {
    mut x = abs(a + 0 * b)
    mut y = abs(b + 0 * a)
    while any(y != 0) {
        let rest = where(y == 0, 0, x % where(y == 0, 1, y))
        x = where(y == 0, x, y)
        y = rest
    }
    x
}

## lcm(a, b): the least common multiple of integers, elementwise.
fn lcm(a, b) {
    let d = gcd(a, b)
    abs(a * (b // where(d == 0, 1, d)))
}

## polyval(p, x): p[0] x^(n-1) + ... + p[n-1], by Horner's rule.
fn polyval(p, x) {
    mut y = 0 * x + p[0]
    for c in p[1:] { y = y * x + c }
    y
}

## interp(x, xp, fp, left=none, right=none): linear interpolation of fp over increasing xp; left and right stand outside.
fn interp(x, xp, fp, left=none, right=none) {
    let i = clip(searchsorted(xp, x, side="right"), 1, len(xp) - 1)
    let (x0, x1) = (xp[i - 1], xp[i])
    let (y0, y1) = (fp[i - 1], fp[i])
    let inside = where(x1 == x0, y1, y0 + (x - x0) / where(x1 == x0, 1, x1 - x0) * (y1 - y0))
    let y = where(x < xp[0], if left == none { fp[0] } else { left }, inside)
    where(x > xp[-1], if right == none { fp[-1] } else { right }, y)
}

## piecewise(x, conditions, functions): as select, with functions of x (one more than conditions: what holds otherwise).
fn piecewise(x, conditions, functions) {
    let rest = len(functions) > len(conditions)
    let values = (f(x) for f in functions)
    select(conditions, values[:len(conditions)], if rest { values[-1] } else { 0 * x })
}

# ---- making arrays

## empty(shape, dtype=f32): an array to be filled; its elements are 0.
fn empty(shape, dtype=f32) = zeros(shape, dtype=dtype)
## empty_like(x): zeros of x's shape and dtype.
fn empty_like(x) = zeros_like(x)
## identity(n, dtype=f32): the unit matrix, dtype[n, n].
fn identity(n, dtype=f32) = eye(n, dtype=dtype)

## logspace(a, b, num=50, endpoint=true, base=10.0): powers of base, the exponents evenly spaced from a to b.
fn logspace(a, b, num=50, endpoint=true, base=10.0) = base ** linspace(a, b, num, endpoint=endpoint)

## geomspace(a, b, num=50): from a to b with a constant ratio.
fn geomspace(a, b, num=50) = exp(linspace(log(_inexact(a)), log(_inexact(b)), num))

## tri(n, m=none, k=0, dtype=f32): ones on and below the k-th diagonal, dtype[n, m].
fn tri(n, m=none, k=0, dtype=f32) = tril(ones((n, if m == none { n } else { m }), dtype=dtype), k)

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

## trace(x, offset=0, axis1=0, axis2=1): the sum of the diagonal.
fn trace(x, offset=0, axis1=0, axis2=1) =
    sum(diagonal(x, offset=offset, axis1=axis1, axis2=axis2), axis=-1)

## diag_indices(n): (i, i) for the diagonal of an n x n matrix.
fn diag_indices(n) = (arange(n), arange(n))

## tril_indices(n, k=0): rows and columns of the elements on and below the k-th diagonal, a tuple of i32[m].
fn tril_indices(n, k=0) = nonzero(tri(n, n, k=k, dtype=bool), size=_below(n, k))
## triu_indices(n, k=0): rows and columns of the elements on and above the k-th diagonal, a tuple of i32[m].
fn triu_indices(n, k=0) =
    nonzero(not tri(n, n, k=k - 1, dtype=bool), size=_known(n) ** 2 - _below(n, k - 1))

## How many elements of an n x n matrix stand on and below the k-th diagonal.
fn _below(n, k) {
    let (n, k) = (_known(n), _known(k))
    if k <= -n { return 0 }
    if k >= n { return n * n }
    if k < 0 { (n + k) * (n + k + 1) // 2 } else { n * n - (n - k - 1) * (n - k) // 2 }
}

## vander(x, n=none): columns x^(n-1) ... x^0, f[m] -> f[m, n].
fn vander(x, n=none) =
    stack((x ** i for i in reversed(tuple(range(if n == none { len(x) } else { n })))), axis=-1)

## meshgrid(x, y, z=none, indexing="xy"): a tuple of arrays that hold each coordinate at each point of the grid. "xy" puts y's axis first, "ij" x's.
fn meshgrid(x, y, z=none, indexing="xy") {
    let indexing = _option(indexing, "`indexing`", ("xy", "ij"))
    let axes = if z == none { (x, y) } else { (x, y, z) }
    let shape = (len(a) for a in axes)
    let grids = (
        broadcast_to(a.reshape((1,) * i + (len(a),) + (1,) * (len(axes) - 1 - i)), shape)
        for (i, a) in tuple(enumerate(axes))
    )
    if indexing == "xy" { (swapaxes(g, 0, 1) for g in grids) } else { grids }
}

## indices(shape): each element's place along every axis, i32[len(shape), ...].
fn indices(shape) = stack((broadcasted_iota(i32, shape, i) for i in tuple(0..len(shape))))

## one_hot(x, num_classes, dtype=f32, axis=-1): a new axis with 1 at x and 0 elsewhere; all 0 where x is out of range. i32[...] -> f32[..., n].
fn one_hot(x, num_classes, dtype=f32, axis=-1) {
    let hot = (array(x)[..., none] == arange(num_classes)).astype(dtype)
    if axis == -1 { hot } else { moveaxis(hot, -1, axis) }
}

## hanning(n): a window of 0.5 - 0.5 cos, f32[n].
fn hanning(n) = if n == 1 { ones(1) } else { 0.5 - 0.5 * cos(2 * pi / (n - 1) * arange(n)) }
## hamming(n): a window of 0.54 - 0.46 cos, f32[n].
fn hamming(n) = if n == 1 { ones(1) } else { 0.54 - 0.46 * cos(2 * pi / (n - 1) * arange(n)) }
## bartlett(n): a window like a triangle, f32[n].
fn bartlett(n) = if n == 1 { ones(1) } else { 1 - abs(2 * arange(n) / (n - 1) - 1) }
## blackman(n): a window of two cosines, f32[n].
fn blackman(n) {
    if n == 1 { return ones(1) }
    let t = 2 * pi / (n - 1) * arange(n)
    0.42 - 0.5 * cos(t) + 0.08 * cos(2 * t)
}

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
    let (size, n) = (_length(x, axis), _known(indices_or_sections))
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

## ravel_multi_index(indices, shape): the place in the flattened array of an index for each axis.
fn ravel_multi_index(indices, shape) {
    mut at = 0
    for (i, n) in tuple(zip(indices, shape)) { at = at * n + i }
    at
}
## unravel_index(i, shape): the index along each axis of place i of the flattened array, a tuple.
fn unravel_index(i, shape) {
    mut rest = i
    mut found = ()
    for n in reversed(shape) {
        found = (rest % n,) + found
        rest = rest // n
    }
    found
}

## diff(x, n=1, axis=-1): differences of neighbours, n times.
fn diff(x, n=1, axis=-1) {
    mut y = moveaxis(x, axis, 0)
    for _ in tuple(0.._known(n)) {
        y = if y.dtype == bool { y[1:] != y[:-1] } else { y[1:] - y[:-1] }
    }
    moveaxis(y, 0, axis)
}

## ediff1d(x): differences of neighbours of the flattened x.
fn ediff1d(x) = diff(ravel(x))

## gradient(y, dx=1.0, axis=-1): central differences, one-sided at the ends.
fn gradient(y, dx=1.0, axis=-1) {
    let f = moveaxis(_inexact(y), axis, 0)
    let inner = (f[2:] - f[:-2]) / (2 * dx)
    moveaxis(concatenate(((f[1:2] - f[:1]) / dx, inner, (f[-1:] - f[-2:-1]) / dx)), 0, axis)
}

# ---- products

## outer(a, b): a[i] * b[j], f[n], f[m] -> f[n, m].
fn outer(a, b) = ravel(a)[:, none] * ravel(b)[none, :]

## vecdot(a, b, axis=-1): the sum of a * b over one axis.
fn vecdot(a, b, axis=-1) = sum(a * b, axis=axis)
## matvec(a, x): a f[..., n, m] times x f[..., m] -> f[..., n].
fn matvec(a, x) = (a @ x[..., none])[..., 0]
## vecmat(x, a): x f[..., n] times a f[..., n, m] -> f[..., m].
fn vecmat(x, a) = (x[..., none, :] @ a)[..., 0, :]

## kron(a, b): the Kronecker product of vectors or matrices.
fn kron(a, b) {
    if a.ndim == 1 and b.ndim == 1 { return ravel(outer(a, b)) }
    let (x, y) = (atleast_2d(a), atleast_2d(b))
    (x[:, none, :, none] * y[none, :, none, :]).reshape((
        x.shape[0] * y.shape[0],
        x.shape[1] * y.shape[1],
    ))
}

## cross(a, b, axis=-1): the vector product along an axis of size 3.
fn cross(a, b, axis=-1) {
    let (x, y) = (moveaxis(a, axis, 0), moveaxis(b, axis, 0))
    moveaxis(
        stack((x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0])),
        0,
        axis,
    )
}

## convolve(a, v, mode="full"): the discrete convolution of vectors f[n] and f[m] -> f[n + m - 1]; "same": of the longer one's size;
## "valid": where they lie within each other, f[|n - m| + 1].
fn convolve(a, v, mode="full") {
    let mode = _option(mode, "`mode`", ("full", "same", "valid"))
    let (x, y) = (_vector(a, "convolve"), _vector(v, "convolve"))
    if x.size == 0 or y.size == 0 {
        _refuse("`convolve` needs vectors with one element at least, got {_type(x)} and {_type(y)}")
    }
    let (x, w) = if len(x) >= len(y) { (x, y) } else { (y, x) }
    let (n, m) = (len(x), len(w))
    let whole = _full_convolution(x, w)
    if mode == "full" { return whole }
    if mode == "same" { whole[(m - 1) // 2:(m - 1) // 2 + n] } else { whole[m - 1:n] }
}
## x f[n] and w f[m], m no greater than n -> f[n + m - 1].
fn _full_convolution(x, w) {
    let (n, m) = (len(x), len(w))
    pad(x, (m - 1, m - 1))[arange(n + m - 1)[:, none] + arange(m)[none, :]] @ flip(w)
}
## correlate(a, v, mode="valid"): convolve with v turned round.
fn correlate(a, v, mode="valid") = convolve(a, flip(v), mode=mode)

# ---- finding

## flatnonzero(x, size=none, fill_value=none): the places in the flattened x that are not zero, i32[size].
fn flatnonzero(x, size=none, fill_value=none) =
    nonzero(ravel(x), size=_found(x, size), fill_value=fill_value)[0]
## argwhere(x, size=none, fill_value=none): the indices of elements that are not zero, i32[size, ndim].
fn argwhere(x, size=none, fill_value=none) =
    stack(nonzero(x, size=_found(x, size), fill_value=fill_value), axis=-1)
fn _found(x, size) = if size == none { _measured(count_nonzero(x)) } else { _known(size) }

## digitize(x, bins, right=false): the number of the bin between increasing `bins` where each x lies, i32.
fn digitize(x, bins, right=false) = searchsorted(bins, x, side=if right { "left" } else { "right" })

## histogram(x, bins=10, range=none, weights=none): (counts, edges) of equal bins over range (none: all of x), or of these edges.
## A range that is one number is widened by 0.5 on each side.
fn histogram(x, bins=10, range=none, weights=none) {
    let x = ravel(x)
    let edges = histogram_bin_edges(x, bins=bins, range=range)
    let n = len(edges) - 1
    let found = searchsorted(edges, x, side="right") - 1
    let i = where(x == edges[-1], n - 1, where(found < 0, n, found))
    (bincount(i, weights=if weights == none { none } else { ravel(weights) }, length=n), edges)
}
## histogram_bin_edges(x, bins=10, range=none): the edges that histogram uses, f[bins + 1].
fn histogram_bin_edges(x, bins=10, range=none) {
    if bins.ndim == 1 { return bins }
    let (low, high) =
        if range != none { range } else if x.size == 0 { (0, 1) } else { (min(x), max(x)) }
    let more = where(low == high, 0.5, 0.0)
    linspace(low - more, high + more, bins + 1)
}

## compress(mask, x, axis=0): the rows where a known mask holds.
fn compress(mask, x, axis=0) = take(x, flatnonzero(mask), axis=axis)
## extract(mask, x): the elements where a known mask holds, f[m].
fn extract(mask, x) = ravel(x)[flatnonzero(mask)]

# ---- jax.lax

## dynamic_slice_in_dim(x, start, size, axis=0): `size` elements from start along one axis, moved so that they fit.
fn dynamic_slice_in_dim(x, start, size, axis=0) {
    let y = moveaxis(x, axis, 0)
    let n = len(y)
    let s = clip(where(start < 0, start + n, start), 0, n - size)
    moveaxis(y[s:+size], 0, axis)
}
## dynamic_index_in_dim(x, index, axis=0, keepdims=true): one slice along an axis.
fn dynamic_index_in_dim(x, index, axis=0, keepdims=true) {
    let part = dynamic_slice_in_dim(x, index, 1, axis=axis)
    if keepdims { part } else { squeeze(part, axis=axis) }
}

## dynamic_update_slice_in_dim(x, update, start, axis=0): x with `update` at start along one axis, moved so that it fits.
fn dynamic_update_slice_in_dim(x, update, start, axis=0) {
    let y = moveaxis(x, axis, 0)
    let u = moveaxis(update, axis, 0)
    let s = clip(where(start < 0, start + len(y), start), 0, len(y) - len(u))
    moveaxis(y with [s:+len(u)] = u, 0, axis)
}
## dynamic_update_index_in_dim(x, update, index, axis=0): x with one slice along an axis replaced.
fn dynamic_update_index_in_dim(x, update, index, axis=0) = dynamic_update_slice_in_dim(
    x,
    if update.ndim == x.ndim { update } else { expand_dims(update, axis) },
    index,
    axis=axis,
)

## slice_in_dim(x, start, limit, stride=1, axis=0): x[start:limit:stride] along one axis.
fn slice_in_dim(x, start, limit, stride=1, axis=0) =
    moveaxis(moveaxis(x, axis, 0)[start:limit:stride], 0, axis)
## index_in_dim(x, index, axis=0, keepdims=true): x[index] along one axis.
fn index_in_dim(x, index, axis=0, keepdims=true) =
    if keepdims { slice_in_dim(x, index, index + 1, axis=axis) } else { take(x, index, axis=axis) }
## iota(dtype, size): 0, 1, ... size - 1, dtype[size].
fn iota(dtype, size) = arange(size, dtype=dtype)
## broadcast(x, sizes): x repeated along new axes in front.
fn broadcast(x, sizes) = broadcast_to(x, sizes + x.shape)
## batch_matmul(a, b): a @ b.
fn batch_matmul(a, b) = a @ b
## convert_element_type(x, dtype): x.astype(dtype).
fn convert_element_type(x, dtype) = x.astype(dtype)
## sort_key_val(keys, values, axis=-1): (keys sorted along an axis, values in the same order).
fn sort_key_val(keys, values, axis=-1) {
    let order = argsort(keys, axis=axis)
    (take_along_axis(keys, order, axis=axis), take_along_axis(values, order, axis=axis))
}

# ---- derivatives of functions with arrays for results

## The jacobian's columns: x's leaf number `leaf` runs through the unit vectors.
fn _columns(f, args, argnum, leaf) {
    let x = args[argnum]
    let parts = tree_leaves(x)
    let part = array(parts[leaf])
    let along = fn(v) {
        let still = tree_map(zeros_like, x)
        let tangent = tree_unflatten(x, _replace(tree_leaves(still), leaf, v))
        jvp(fn(t) = f(*_replace(args, argnum, t)), (x,), (tangent,))[1]
    }
    let wide = vmap(along, out_axes=-1)(
        eye(part.size, dtype=part.dtype).reshape((part.size,) + part.shape),
    )
    tree_map(fn(y) = y.reshape(y.shape[:-1] + part.shape), wide)
}

fn _argnum(args, argnums) =
    if _known(argnums) < 0 { _known(argnums) + len(args) } else { _known(argnums) }

# Several arguments are one that is their tuple.
fn _several(args, argnums) = (args[_argnum(args, i)] for i in argnums)
fn _of_several(f, args, argnums) = fn(chosen) {
    mut all = args
    for (i, x) in zip(argnums, chosen) { all = _replace(all, _argnum(args, i), x) }
    f(*all)
}

## jacfwd(f, argnums=0): the matrix of all derivatives of f, by forward mode: shape of the result, then of the argument. Trees give trees of such, a tuple of
## argnums gives a tuple.
fn jacfwd(f, argnums=0) = fn(*args) {
    if kind(argnums) == "tuple" {
        return jacfwd(_of_several(f, args, argnums))(_several(args, argnums))
    }
    let i = _argnum(args, argnums)
    let x = args[i]
    let columns = (_columns(f, args, i, leaf) for leaf in tuple(0..len(tree_leaves(x))))
    let lists = (tree_leaves(c) for c in columns)
    let like = columns[0]
    tree_unflatten(
        like,
        (tree_unflatten(x, (list[k] for list in lists)) for k in tuple(0..len(tree_leaves(like)))),
    )
}

## jacrev(f, argnums=0): as jacfwd, by reverse mode: better where results are fewer than arguments.
fn jacrev(f, argnums=0) = fn(*args) {
    if kind(argnums) == "tuple" {
        return jacrev(_of_several(f, args, argnums))(_several(args, argnums))
    }
    let i = _argnum(args, argnums)
    let (y, pullback) = vjp(fn(t) = f(*_replace(args, i, t)), args[i])
    let outs = tree_leaves(y)
    tree_unflatten(y, (_rows(y, outs, k, pullback) for k in tuple(0..len(outs))))
}
fn _rows(y, outs, k, pullback) {
    let part = array(outs[k])
    let along =
        fn(v) = pullback(tree_unflatten(y, _replace(tree_leaves(tree_map(zeros_like, y)), k, v)))[0]
    let rows = vmap(along)(eye(part.size, dtype=part.dtype).reshape((part.size,) + part.shape))
    tree_map(fn(g) = g.reshape(part.shape + g.shape[1:]), rows)
}
## jacobian(f, argnums=0): as jacrev.
fn jacobian(f, argnums=0) = jacrev(f, argnums=argnums)

## hessian(f, argnums=0): the matrix of second derivatives of f, forward over reverse.
fn hessian(f, argnums=0) = jacfwd(jacrev(f, argnums=argnums), argnums=argnums)

## hvp(f, x, v): the hessian of f at x times v, without the matrix.
fn hvp(f, x, v) = jvp(grad(f), (x,), (v,))[1]

# ---- trees

## tree_all(tree): whether every element of every leaf is true.
fn tree_all(tree) = tree_reduce(fn(a, leaf) = a and all(leaf), tree, true)
## tree_sum(tree): the sum of all elements of all leaves.
fn tree_sum(tree) = tree_reduce(fn(a, leaf) = a + sum(leaf), tree, 0)
## tree_zeros_like(tree): the tree with zeros.
fn tree_zeros_like(tree) = tree_map(zeros_like, tree)
## tree_ones_like(tree): the tree with ones.
fn tree_ones_like(tree) = tree_map(ones_like, tree)
## tree_flatten(tree): (leaves, tree); tree_unflatten(tree, leaves) puts others in their place.
fn tree_flatten(tree) = (tree_leaves(tree), tree)
## tree_structure(tree): the tree, for tree_unflatten.
fn tree_structure(tree) = tree
