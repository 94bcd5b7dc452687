# Global functions that describe arrays: means, variances, quantiles, integrals, searching, histograms.

# ---- means and deviations of x f[...] over `axis`, an index, a tuple or none for all axes. i64 and u64 count as f64,
# other integers and bools as f32.

## mean(x, axis=none, dtype=none, keepdims=false, where=none): the arithmetic mean over `axis`.
## Only elements for which the mask `where` is true count. It is NaN if there are none. f16 and bf16 are computed in
## f32. x is first converted to `dtype` unless it is none.
fn mean(x, axis=none, dtype=none, keepdims=false, where=none) {
    let x = if dtype == none { _number(array(x)) } else { array(x).astype(dtype) }
    if _is_numeric(axis) and (array(axis).ndim > 0 or _is_float(axis)) {
        _refuse("`mean` takes one array, and an axis of it, got {_type(x)} and {_type(axis)}: mean([a, b]) is the mean of two numbers")
    }
    let s = sum(_wide(x), axis=axis, keepdims=keepdims, where=where)
    _like(s / _divisor(x, s, axis, keepdims, where, 0), x)
}
## The number of elements of x in each of the sums s over `axis`, minus ddof.
fn _divisor(x, s, axis, keepdims, where, ddof) {
    if where == none { return (if s.size == 0 { 1 } else { x.size // s.size }) - ddof }
    sum(broadcast_to(where, x.shape).astype(s.dtype), axis=axis, keepdims=keepdims) - ddof
}

# Sums of f16 and bf16 can overflow or lose digits of their mean. They are computed in f32, and the result is rounded.
fn _is_half(x) = x.dtype == f16 or x.dtype == bf16
fn _wide(x) = if _is_half(x) { f32(x) } else { x }
fn _like(y, x) = if _is_half(x) { y.astype(x.dtype) } else { y }

## var(x, axis=none, dtype=none, ddof=0, keepdims=false, where=none): the variance over `axis`: the sum of |x - mean|^2
## divided by n - ddof. `n` is the number of elements for which the mask `where` is true. The variance is real, also for
## complex x. It is NaN where n - ddof is not above 0.
fn var(x, axis=none, dtype=none, ddof=0, keepdims=false, where=none) {
    let x = if dtype == none { _number(array(x)) } else { array(x).astype(dtype) }
    let wide = _wide(x)
    let gap = wide - mean(wide, axis=axis, keepdims=true, where=where)
    let s = sum(_squares(gap), axis=axis, keepdims=keepdims, where=where)
    _like(s / _above_0(_divisor(x, s, axis, keepdims, where, ddof)), x)
}
fn _above_0(n) = where(n > 0, n, nan)

## std(x, axis=none, dtype=none, ddof=0, keepdims=false, where=none): the standard deviation over `axis`, the square
## root of var.
fn std(x, axis=none, dtype=none, ddof=0, keepdims=false, where=none) =
    sqrt(var(x, axis=axis, dtype=dtype, ddof=ddof, keepdims=keepdims, where=where))

## average(x, axis=none, weights=none, returned=false, keepdims=false): the mean over `axis`, weighted by `weights`:
## sum(x * weights) / sum(weights). `weights` has the shape of x, or that of the axes. Other shapes are an error. If
## `weights` is none, all weights are 1. With `returned` the result is (average, sum of the weights).
fn average(x, axis=none, weights=none, returned=false, keepdims=false) {
    let x = _number(array(x))
    if weights == none {
        let found = mean(x, axis=axis, keepdims=keepdims)
        return if returned { (found, full_like(found, x.size // found.size)) } else { found }
    }
    let weights = _number(array(weights))
    let axes = _axes(axis, x.ndim)
    let fits = weights.shape == (x.shape[d] for d in axes)
    if weights.shape != x.shape and not fits {
        _refuse("the `weights` of `average` must have x's shape, or that of its axes {axes}, got {_type(weights)} for {_type(x)}")
    }
    let w = if weights.ndim == x.ndim {
        weights
    } else {
        let inner = weights.reshape(weights.shape + (1,) * (x.ndim - weights.ndim))
        moveaxis(inner, tuple(0..weights.ndim), axes)
    }
    let whole = sum(broadcast_to(w, x.shape), axis=axis, keepdims=keepdims)
    let found = sum(x * w, axis=axis, keepdims=keepdims) / whole
    if returned { (found, whole.astype(found.dtype)) } else { found }
}

## ptp(x, axis=none, keepdims=false): the greatest minus the least element over `axis`.
fn ptp(x, axis=none, keepdims=false) =
    max(x, axis=axis, keepdims=keepdims) - min(x, axis=axis, keepdims=keepdims)

## quantile(x, q, axis=none, method="linear", keepdims=false): the quantile over `axis` at q, the value below which a
## fraction q of x lies. q is a number or an array from 0 to 1. Other q are an error. The shape of the result is that of
## q, followed by that of x without the axes. The result is NaN where x has a NaN. `method` selects the value between
## two elements: "linear", "lower", "higher", "midpoint" or "nearest". With "nearest" a tie goes to the even index. The
## other methods are those of NumPy: "inverted_cdf", "averaged_inverted_cdf", "closest_observation",
## "interpolated_inverted_cdf", "hazen", "weibull", "median_unbiased" and "normal_unbiased".
fn quantile(x, q, axis=none, method="linear", keepdims=false) {
    let (x, q) = (_inexact(array(x)), _inexact(array(q)))
    assert(all(q >= 0) and all(q <= 1), "the `q` of `quantile` must lie from 0 to 1")
    let rows = _in_order(x, axis)
    if len(rows) == 0 {
        return _kept(
            zeros(q.shape + rows.shape[1:], dtype=rows.dtype) + nan,
            x,
            axis,
            keepdims,
            q.ndim,
        )
    }
    let last = full(rows.shape[1:], len(rows) - 1, dtype=_position_dtype(rows.dtype))
    let found = where(isnan(rows[-1]), nan, _at_part(rows, q, last, method))
    _kept(found, x, axis, keepdims, q.ndim)
}
## The dtype in which the positions of quantiles are computed: 16 bits count too few elements.
fn _position_dtype(dtype) = if dtype == f64 { f64 } else { f32 }
## The quantile q of sorted rows, from the first row to the one at index `last`, which has one number for each line, in
## the dtype of positions.
fn _at_part(rows, q, last, method) {
    let method = _option(
        method,
        "`method`",
        (
            "linear",
            "lower",
            "higher",
            "midpoint",
            "nearest",
            "inverted_cdf",
            "averaged_inverted_cdf",
            "closest_observation",
        ) +
            keys(_plotting_positions),
    )
    let part = clip(q, 0, 1).astype(last.dtype).reshape(q.shape + (1,) * last.ndim)
    let at = _place_of(part, last, method)
    let (low, high) = (floor(at), ceil(at))
    let take_row = fn(i) {
        let places = i32(i).reshape((prod(q.shape),) + last.shape)
        take_along_axis(rows, places, axis=0).reshape(i.shape)
    }
    if method == "lower" or method == "inverted_cdf" or method == "closest_observation" {
        return take_row(low)
    }
    if method == "higher" { return take_row(high) }
    if method == "nearest" { return take_row(round(at)) }
    let rest = (if method == "midpoint" { where(low == high, 0, 0.5) } else { at - low }).astype(
        rows.dtype,
    )
    let (lower, upper) = (take_row(low), take_row(high))
    # 0 * inf is NaN
    where(lower == upper and isinf(lower), lower, lower * (1 - rest) + upper * rest)
}
# Methods that interpolate linearly. Element i of n, counted from 1, is at the fraction (i - a) / (n + 1 - a - b). The
# values are (a, b).
let _plotting_positions = {
    interpolated_inverted_cdf: (0.0, 1.0),
    hazen: (0.5, 0.5),
    weibull: (0.0, 0.0),
    median_unbiased: (1 / 3, 1 / 3),
    normal_unbiased: (0.375, 0.375),
}
## The index of a fraction in sorted elements, from 0 to `last`, an integer or between two. floor and ceil are applied
## to n * part itself, without an added constant: a fused multiply-add would shift their boundaries.
fn _place_of(part, last, method) {
    let n = last + 1
    if _among(method, ("linear", "lower", "higher", "midpoint", "nearest")) { return part * last }
    let at = if method == "inverted_cdf" {
        ceil(n * part) - 1
    } else if method == "averaged_inverted_cdf" {
        floor(n * part) - where(floor(n * part) == n * part, 0.5, 0)
    } else if method == "closest_observation" {
        let rest = n * part - floor(n * part)
        let below = floor(n * part) - where(rest < 0.5, 2, 1)
        below + where(rest == 0.5 and below % 2 == 1, 0, 1)
    } else {
        let (a, b) = _plotting_positions[method]
        n * part + a + part * (1 - a - b) - 1
    }
    clip(at, 0, last)
}

## x sorted over `axis` (none: all axes). These axes are flattened into axis 0.
fn _in_order(x, axis) {
    let axes = _axes(axis, x.ndim)
    let lines = moveaxis(x, axes, tuple(0..len(axes)))
    sort(lines.reshape((prod(lines.shape[:len(axes)]),) + lines.shape[len(axes):]), axis=0)
}
## `found`, with keepdims reshaped to size 1 along each reduced axis of x. It has `more` leading axes, which are kept.
fn _kept(found, x, axis, keepdims, more) {
    if not keepdims { return found }
    let axes = _axes(axis, x.ndim)
    found.reshape(
        found.shape[:more] + (
            (if _among(d, axes) { 1 } else { x.shape[d] })
            for d in tuple(0..x.ndim)
        ),
    )
}

## percentile(x, q, axis=none, method="linear", keepdims=false): the quantile over `axis` at q / 100, for q from 0 to
## 100. Other q are an error. The other arguments are those of quantile.
fn percentile(x, q, axis=none, method="linear", keepdims=false) {
    let q = array(q)
    assert(all(q >= 0) and all(q <= 100), "the `q` of `percentile` must lie from 0 to 100")
    quantile(x, q / 100, axis=axis, method=method, keepdims=keepdims)
}

## median(x, axis=none, keepdims=false): the median over `axis`: the middle element in sorted order, or the mean of the
## two middle ones. It is NaN where x has a NaN or no elements.
fn median(x, axis=none, keepdims=false) {
    let x = _inexact(array(x))
    let rows = _in_order(x, axis)
    let n = len(rows)
    let found = if n == 0 {
        zeros(rows.shape[1:], dtype=rows.dtype) + nan
    } else {
        where(isnan(rows[-1]), nan, 0.5 * rows[(n - 1) // 2] + 0.5 * rows[n // 2])
    }
    _kept(found, x, axis, keepdims, 0)
}

## nanquantile(x, q, axis=none, method="linear", keepdims=false): the quantile over `axis` of the elements that are not
## NaN. It is NaN where there are none. The arguments are those of quantile.
fn nanquantile(x, q, axis=none, method="linear", keepdims=false) {
    let (x, q) = (_inexact(array(x)), _inexact(array(q)))
    assert(all(q >= 0) and all(q <= 1), "the `q` of `nanquantile` must lie from 0 to 1")
    let rows = _in_order(x, axis)
    if len(rows) == 0 { return quantile(x, q, axis=axis, method=method, keepdims=keepdims) }
    let count = sum((not isnan(rows)).astype(_position_dtype(rows.dtype)), axis=0)
    let found = _at_part(where(isnan(rows), 0, rows), q, maximum(count - 1, 0), method)
    _kept(where(count == 0, nan, found), x, axis, keepdims, q.ndim)
}
## nanpercentile(x, q, axis=none, method="linear", keepdims=false): the quantile over `axis` at q / 100 of the elements
## that are not NaN, as nanquantile.
fn nanpercentile(x, q, axis=none, method="linear", keepdims=false) {
    let q = array(q)
    assert(all(q >= 0) and all(q <= 100), "the `q` of `nanpercentile` must lie from 0 to 100")
    nanquantile(x, q / 100, axis=axis, method=method, keepdims=keepdims)
}
## nanmedian(x, axis=none, keepdims=false): the median over `axis` of the elements that are not NaN.
## It is NaN where there are none.
fn nanmedian(x, axis=none, keepdims=false) = nanquantile(x, 0.5, axis=axis, keepdims=keepdims)

## logsumexp(x, axis=none, b=none, keepdims=false, return_sign=false, where=none): log(sum(b * exp(x))) over `axis`,
## without overflow. `b` is a factor for each element, 1 if it is none. Only elements for which the mask `where` is true
## count. With return_sign the result is (log(|sum|), sign of the sum). Otherwise a negative sum gives NaN.
fn logsumexp(x, axis=none, b=none, keepdims=false, return_sign=false, where=none) {
    let x = if where == none { _number(array(x)) } else { _masked_out(_number(array(x)), where) }
    let x = if b == none { x } else { _masked_out(x, array(b) != 0) }
    let top = stop_gradient(max(real(x), axis=axis, keepdims=true, initial=-inf))
    let top = _finite_or_0(top)
    let terms = if b == none { exp(x - top) } else { b * exp(x - top) }
    let total = sum(terms, axis=axis, keepdims=true)
    let s = log(if return_sign { abs(total) } else { total }) + top
    let shape = sum(x, axis=axis, keepdims=keepdims).shape
    if return_sign { (s.reshape(shape), sign(total).reshape(shape)) } else { s.reshape(shape) }
}
fn _masked_out(x, mask) = where(mask, x, -inf)
fn _finite_or_0(x) = where(isfinite(x), x, 0)

## nansum(x, axis=none, dtype=none, keepdims=false, initial=none, where=none): the sum over `axis` of the elements that
## are not NaN, as sum. It is 0 where there are none.
fn nansum(x, axis=none, dtype=none, keepdims=false, initial=none, where=none) =
    sum(_without_nan(x, 0), axis=axis, dtype=dtype, keepdims=keepdims, initial=initial, where=where)
## nanprod(x, axis=none, dtype=none, keepdims=false, initial=none, where=none): the product over `axis` of the elements
## that are not NaN, as prod. It is 1 where there are none.
fn nanprod(x, axis=none, dtype=none, keepdims=false, initial=none, where=none) = prod(
    _without_nan(x, 1),
    axis=axis,
    dtype=dtype,
    keepdims=keepdims,
    initial=initial,
    where=where,
)
fn _without_nan(x, value) = where(isnan(x), value, x)
## nanmax(x, axis=none, keepdims=false, initial=none, where=none): the greatest element over `axis` that is not NaN, as
## max. It is NaN where all elements are NaN, unless `initial` is given. Integers keep their dtype.
fn nanmax(x, axis=none, keepdims=false, initial=none, where=none) {
    let y = if _is_float(x) { _without_nan(x, -inf) } else { x }
    _or_nan(
        max(y, axis=axis, keepdims=keepdims, initial=initial, where=where),
        x,
        axis,
        keepdims,
        initial,
    )
}
## nanmin(x, axis=none, keepdims=false, initial=none, where=none): the least element over `axis` that is not NaN, as
## min. It is NaN where all elements are NaN, unless `initial` is given. Integers keep their dtype.
fn nanmin(x, axis=none, keepdims=false, initial=none, where=none) {
    let y = if _is_float(x) { _without_nan(x, inf) } else { x }
    _or_nan(
        min(y, axis=axis, keepdims=keepdims, initial=initial, where=where),
        x,
        axis,
        keepdims,
        initial,
    )
}
fn _or_nan(found, x, axis, keepdims, initial) {
    if initial != none or not _is_float(x) { return found }
    where(all(isnan(x), axis=axis, keepdims=keepdims), nan, found)
}
## nanmean(x, axis=none, dtype=none, keepdims=false, where=none): the mean over `axis` of the elements that are not NaN.
## It is NaN where there are none. The other arguments are those of mean.
fn nanmean(x, axis=none, dtype=none, keepdims=false, where=none) {
    let x = if dtype == none { _number(array(x)) } else { array(x).astype(dtype) }
    let wide = _wide(x)
    let there = (not isnan(wide)).astype(_real_dtype(wide))
    let count = sum(there, axis=axis, keepdims=keepdims, where=where)
    _like(nansum(wide, axis=axis, keepdims=keepdims, where=where) / count, x)
}
## nanvar(x, axis=none, dtype=none, ddof=0, keepdims=false, where=none): the variance over `axis` of the n elements that
## are not NaN, divided by n - ddof. It is NaN where n - ddof is not above 0. The other arguments are those of var.
fn nanvar(x, axis=none, dtype=none, ddof=0, keepdims=false, where=none) {
    let x = if dtype == none { _number(array(x)) } else { array(x).astype(dtype) }
    let wide = _wide(x)
    let gap = _without_nan(wide - nanmean(wide, axis=axis, keepdims=true, where=where), 0)
    let there = (not isnan(wide)).astype(_real_dtype(wide))
    let count = sum(there, axis=axis, keepdims=keepdims, where=where)
    let s = sum(_squares(gap), axis=axis, keepdims=keepdims, where=where)
    _like(s / _above_0(count - ddof), x)
}
## nanstd(x, axis=none, dtype=none, ddof=0, keepdims=false, where=none): the standard deviation over `axis` of the
## elements that are not NaN, the square root of nanvar.
fn nanstd(x, axis=none, dtype=none, ddof=0, keepdims=false, where=none) =
    sqrt(nanvar(x, axis=axis, dtype=dtype, ddof=ddof, keepdims=keepdims, where=where))

## trapezoid(y, x=none, dx=1.0, axis=-1): the integral of samples y along `axis`, by the trapezoidal rule.
## x has the coordinates of the samples, f[n] or an array of the shape of y. If it is none, dx is the spacing of the
## samples.
fn trapezoid(y, x=none, dx=1.0, axis=-1) {
    let y = moveaxis(_inexact(y), axis, -1)
    let step =
        if x == none { dx } else if x.ndim == 1 { diff(x) } else { diff(moveaxis(x, axis, -1)) }
    0.5 * sum(step * (y[..., 1:] + y[..., :-1]), axis=-1)
}

## cov(x, y=none, rowvar=true, bias=false, ddof=none, fweights=none, aweights=none): the covariance matrix of the k
## variables in the rows of x, f[k, n] -> f[k, k], a number for k = 1. With rowvar=false the variables are columns. `y`
## has further variables. The divisor is n - ddof. The default of ddof is 1, with `bias` 0. fweights i32[n] is the
## number of times that each observation counts. aweights f[n] is its relative weight. Negative weights count as their
## absolute values. With weights w = fweights * aweights, the divisor is `sum(w) - ddof * sum(w * aweights) / sum(w)`. A
## negative divisor counts as 0.
fn cov(x, y=none, rowvar=true, bias=false, ddof=none, fweights=none, aweights=none) {
    let rows = _variables(x, rowvar)
    let rows = if y == none { rows } else { concatenate((rows, _variables(y, rowvar))) }
    let ddof = if ddof != none { ddof } else if bias { 0 } else { 1 }
    if fweights == none and aweights == none {
        let gap = rows - mean(rows, axis=1, keepdims=true)
        return squeeze(gap @ conj(gap.T) / maximum(rows.shape[1] - ddof, 0))
    }
    let n = rows.shape[1]
    let one = ones(n, dtype=_real_dtype(rows))
    let a = if aweights == none { one } else { _weights(aweights, n, "aweights") }
    if fweights != none and not _is_integer(fweights) {
        _refuse("the `fweights` of `cov` must be whole numbers, got {_type(fweights)}")
    }
    let w = if fweights == none { a } else { a * _weights(fweights, n, "fweights") }
    let whole = sum(w)
    let gap = rows - sum(rows * w, axis=1, keepdims=true) / whole
    let taken = if aweights == none { ddof } else { ddof * sum(w * a) / whole }
    squeeze(gap @ conj((gap * w).T) / maximum(whole - taken, 0))
}
fn _variables(x, rowvar) {
    let x = _number(array(x))
    if x.ndim > 2 { _refuse("`cov` needs variables f[n] or f[k, n], got {_type(x)}") }
    atleast_2d(if rowvar or x.ndim < 2 { x } else { x.T })
}
fn _weights(w, n, what) {
    let w = abs(_inexact(_vector(w, "cov")))
    if len(w) != n {
        _refuse("the `{what}` of `cov` must be a number for each of {_counted(n, "observation", "observations")}, got {_type(w)}")
    }
    w
}

## corrcoef(x, y=none, rowvar=true): the matrix of correlation coefficients of the k variables in the rows of x, f[k, n]
## -> f[k, k]. With rowvar=false the variables are columns. `y` has further variables. Coefficients are clipped to
## [-1, 1], of complex ones both parts. One variable gives a number, 1 or NaN.
fn corrcoef(x, y=none, rowvar=true) {
    let c = cov(x, y=y, rowvar=rowvar)
    if c.ndim == 0 { return c / c }
    let d = sqrt(real(diagonal(c)))
    let r = c / d[:, none] / d[none, :]
    if iscomplexobj(r) {
        complex(clip(real(r), -1, 1), clip(imag(r), -1, 1))
    } else {
        clip(r, -1, 1)
    }
}

# ---- searching and histograms

## flatnonzero(x, size=none, fill_value=none): the indices of the nonzero elements of the flattened x, i32[size].
## If `size` is none it is the number of these elements, outside of compiled code only. Missing indices are fill_value,
## by default 0.
fn flatnonzero(x, size=none, fill_value=none) =
    nonzero(ravel(x), size=_found(x, size, "flatnonzero"), fill_value=fill_value)[0]
## argwhere(x, size=none, fill_value=none): the indices of the nonzero elements of x, one row for each element,
## i32[size, ndim]. `size` and fill_value are those of flatnonzero.
fn argwhere(x, size=none, fill_value=none) =
    stack(nonzero(x, size=_found(x, size, "argwhere"), fill_value=fill_value), axis=-1)
fn _found(x, size, what) =
    if size == none { _measured(count_nonzero(x), what, "size=n") } else { _known(size) }

## digitize(x, bins, right=false): the index i of the bin bins[i - 1] <= x < bins[i] of each element of x, i32.
## With `right` the bin is bins[i - 1] < x <= bins[i]. `bins` is monotonic. If it decreases, the bin is
## `bins[i - 1] > x >= bins[i]`, or with `right` `bins[i - 1] >= x > bins[i]`. The index is 0 before the first and
## len(bins) after the last.
fn digitize(x, bins, right=false) {
    let bins = _vector(bins, "digitize")
    let side = if right { "left" } else { "right" }
    if len(bins) == 0 { return zeros(array(x).shape, dtype=i32) }
    let falling = len(bins) - searchsorted(flip(bins), x, side=side)
    where(bins[-1] >= bins[0], searchsorted(bins, x, side=side), falling)
}

## histogram(x, bins=10, range=none, weights=none, density=false): (counts, edges) of the elements of the flattened x in
## bins. `bins` is a number of equal bins over `range`, (low, high), or a vector of edges. If `range` is none it is that
## of x. If low = high, it is widened by 0.5 on each side. Elements out of range do not count. The last bin includes its
## upper edge. With `weights` each count is the sum of the weights of its elements. With `density` each count is divided
## by the total and by the width of the bin.
fn histogram(x, bins=10, range=none, weights=none, density=false) {
    let x = ravel(x)
    let edges = histogram_bin_edges(x, bins=bins, range=range)
    let n = len(edges) - 1
    let counts = bincount(
        _bin_of(x, edges),
        weights=if weights == none { none } else { ravel(weights) },
        length=n,
    )
    (if density { counts / (sum(counts) * diff(edges)) } else { counts }, edges)
}
## The index of the bin of each x. The last edge is in the last bin. For x out of range it is the number of bins, which
## is no index.
fn _bin_of(x, edges) {
    let n = len(edges) - 1
    let found = searchsorted(edges, x, side="right") - 1
    where(x == edges[-1], n - 1, where(found < 0, n, found))
}
## histogram2d(x, y, bins=10, range=none, weights=none, density=false): (counts [n, m], edges of x, edges of y) of the
## points (x, y) in bins. `bins` is that of histogram for both axes, or a tuple of one for each. `range` is a tuple of
## one (low, high) for each axis, or none. `weights` and `density` are as in histogram, with the area of the bin.
fn histogram2d(x, y, bins=10, range=none, weights=none, density=false) {
    let both = stack((ravel(x), ravel(y)), axis=1)
    let (counts, (ex, ey)) =
        histogramdd(both, bins=bins, range=range, weights=weights, density=density)
    (counts, ex, ey)
}
## histogramdd(sample, bins=10, range=none, weights=none, density=false): (counts [n, m, ...], tuple of the edges of each
## axis) of the points `sample` f[points, axes] in bins. `bins` is that of histogram for all axes, or a tuple of one for
## each. `range` is a tuple of (low, high) or none for each axis, or none. `weights` and `density` are as in histogram,
## with the volume of the bin.
fn histogramdd(sample, bins=10, range=none, weights=none, density=false) {
    let sample = _of_rank(sample, 2, "histogramdd", "points f[points, axes]")
    let rank = sample.shape[1]
    let per_axis = fn(given) = if kind(given) == "tuple" { given } else { (given,) * rank }
    let (list, spans) = (per_axis(bins), per_axis(range))
    if len(list) != rank or len(spans) != rank {
        _refuse("`histogramdd` needs `bins` and `range` for each of {_counted(rank, "axis", "axes")}, got {len(list)} and {len(spans)}")
    }
    let edges =
        (histogram_bin_edges(sample[:, d], bins=list[d], range=spans[d]) for d in tuple(0..rank))
    let shape = (len(e) - 1 for e in edges)
    let total = prod(shape)
    mut at = zeros(len(sample), dtype=i32)
    mut inside = ones(len(sample), dtype=bool)
    for d in tuple(0..rank) {
        let bin = _bin_of(sample[:, d], edges[d])
        at = at * shape[d] + bin
        inside = inside and bin < shape[d]
    }
    let w = if weights == none { none } else { ravel(weights) }
    mut counts = bincount(where(inside, at, total), weights=w, length=total).reshape(shape)
    if density {
        counts = counts / sum(counts)
        for d in tuple(0..rank) {
            counts = counts / diff(edges[d]).reshape((-1,) + (1,) * (rank - 1 - d))
        }
    }
    (counts, edges)
}
## histogram_bin_edges(x, bins=10, range=none): the edges that histogram uses, f[bins + 1].
## `bins` and `range` are those of histogram. A vector `bins` is returned as it is. An empty x has the range (0, 1).
fn histogram_bin_edges(x, bins=10, range=none) {
    if bins.ndim == 1 { return bins }
    let (low, high) =
        if range != none { range } else if x.size == 0 { (0, 1) } else { (min(x), max(x)) }
    let rising = low <= high
    assert(
        rising,
        "the `range` of a histogram must go from its least to its greatest number, got {low} and {high}",
    )
    let bins = _count(bins, "the `bins` of a histogram", least=1)
    let more = where(low == high, 0.5, 0.0)
    linspace(low - more, high + more, bins + 1)
}

## compress(mask, x, axis=none, size=none, fill_value=0): the elements of the flattened x, or its slices along `axis`,
## for which a mask is true. The mask is a vector or a tuple. It may be shorter than the axis. An element that is true
## past its end is an error. If `size` is none, the size is computed, outside of compiled code only. Otherwise the
## result has this size, padded with fill_value.
fn compress(mask, x, axis=none, size=none, fill_value=0) =
    _compress(mask, x, axis, size, fill_value, "compress")
fn _compress(mask, x, axis, size, fill_value, what) {
    let (y, d) =
        if axis == none { (ravel(x), 0) } else { (array(x), _axes(axis, array(x).ndim)[0]) }
    let flags = if kind(mask) == "tuple" { array(mask) } else { mask }
    let (keep, n) = (_vector(flags, what) != 0, y.shape[d])
    assert(
        not any(keep[n:]),
        "the mask of `{what}` is true at places past the {_counted(n, "element", "elements")} of x",
    )
    if size == none {
        return take(
            y,
            flatnonzero(keep, size=_measured(count_nonzero(keep), what, "size=n")),
            axis=d,
        )
    }
    take(
        y,
        flatnonzero(keep, size=_count(size, "`size`"), fill_value=n),
        axis=d,
        mode="fill",
        fill_value=fill_value,
    )
}
## extract(mask, x, size=none, fill_value=0): the elements of the flattened x for which the flattened mask is true,
## f[m]. `size` and fill_value are those of compress.
fn extract(mask, x, size=none, fill_value=0) =
    _compress(ravel(mask), ravel(x), none, size, fill_value, "extract")
