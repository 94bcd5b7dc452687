# Global functions that describe arrays: means and spread, places and counts.

# ---- means and spread: x f[...] (i64 and u64 count as f64, other integers as f32) -> over `axis`, an int, a tuple or none for all

## mean(x, axis=none, dtype=none, keepdims=false, where=none): the arithmetic mean over axes, of what `where` chooses.
fn mean(x, axis=none, dtype=none, keepdims=false, where=none) {
    let x = if dtype == none { _number(array(x)) } else { array(x).astype(dtype) }
    if _is_numeric(axis) and (array(axis).ndim > 0 or _is_float(axis)) {
        _refuse("`mean` takes one array, and an axis of it, got {_type(x)} and {_type(axis)}: mean([a, b]) is the mean of two numbers")
    }
    let s = sum(_wide(x), axis=axis, keepdims=keepdims, where=where)
    _like(s / _divisor(x, s, axis, keepdims, where, 0), x)
}
## How many elements each of the sums s of x over axes has, less ddof.
fn _divisor(x, s, axis, keepdims, where, ddof) {
    if where == none { return (if s.size == 0 { 1 } else { x.size // s.size }) - ddof }
    sum(broadcast_to(where, x.shape).astype(s.dtype), axis=axis, keepdims=keepdims) - ddof
}

# Sums of halves overflow or lose what their mean does not: it is computed in f32 and rounded at the end.
fn _is_half(x) = x.dtype == f16 or x.dtype == bf16
fn _wide(x) = if _is_half(x) { f32(x) } else { x }
fn _like(y, x) = if _is_half(x) { y.astype(x.dtype) } else { y }

## var(x, axis=none, dtype=none, ddof=0, keepdims=false, where=none): the mean squared distance from the mean, real for complex x; divided by n - ddof, NaN where that is not above 0.
fn var(x, axis=none, dtype=none, ddof=0, keepdims=false, where=none) {
    let x = if dtype == none { _number(array(x)) } else { array(x).astype(dtype) }
    let wide = _wide(x)
    let gap = wide - mean(wide, axis=axis, keepdims=true, where=where)
    let s = sum(_squares(gap), axis=axis, keepdims=keepdims, where=where)
    _like(s / _above_0(_divisor(x, s, axis, keepdims, where, ddof)), x)
}
fn _above_0(n) = where(n > 0, n, nan)

## std(x, axis=none, dtype=none, ddof=0, keepdims=false, where=none): the square root of var.
fn std(x, axis=none, dtype=none, ddof=0, keepdims=false, where=none) =
    sqrt(var(x, axis=axis, dtype=dtype, ddof=ddof, keepdims=keepdims, where=where))

## average(x, axis=none, weights=none, returned=false, keepdims=false): the mean, weighted. weights has x's shape, or that of the axes;
## returned: (the mean, the sum of the weights).
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

## ptp(x, axis=none, keepdims=false): the greatest less the least.
fn ptp(x, axis=none, keepdims=false) =
    max(x, axis=axis, keepdims=keepdims) - min(x, axis=axis, keepdims=keepdims)

## quantile(x, q, axis=none, method="linear", keepdims=false): the value below which a part q (0 to 1, a number or an array) of x lies over axes. Between two
## elements: "linear", "lower", "higher", "midpoint", "nearest" (of equally near ones the even place); or by NumPy's other methods: "inverted_cdf",
## "averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf", "hazen", "weibull", "median_unbiased", "normal_unbiased".
## Shape: q's, then x's without the axes. NaN where x holds one.
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
    let last = full(rows.shape[1:], len(rows) - 1, dtype=rows.dtype)
    let found = where(isnan(rows[-1]), nan, _at_part(rows, q, last, method))
    _kept(found, x, axis, keepdims, q.ndim)
}
## The value a part q of the way from the first of sorted rows to the one at `last`, which is a number for each line.
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
    let part = clip(q, 0, 1).astype(rows.dtype).reshape(q.shape + (1,) * last.ndim)
    let at = _place_of(part, last, method)
    let (low, high) = (floor(at), ceil(at))
    let take_row = fn(i) {
        let places = i32(i).reshape((-1,) + last.shape)
        take_along_axis(rows, places, axis=0).reshape(i.shape)
    }
    if method == "lower" or method == "inverted_cdf" or method == "closest_observation" {
        return take_row(low)
    }
    if method == "higher" { return take_row(high) }
    if method == "nearest" { return take_row(round(at)) }
    let rest = if method == "midpoint" { where(low == high, 0, 0.5) } else { at - low }
    take_row(low) * (1 - rest) + take_row(high) * rest
}
# Methods that put element i of n, counted from 1, at the part (i - a) / (n + 1 - a - b) and go straight between two of them.
let _plotting_positions = {
    interpolated_inverted_cdf: (0.0, 1.0),
    hazen: (0.5, 0.5),
    weibull: (0.0, 0.0),
    median_unbiased: (1 / 3, 1 / 3),
    normal_unbiased: (0.375, 0.375),
}
## The place, 0 to last, of a part of sorted elements, whole or between two. Nothing is added to n * part before it is
## rounded: with a multiply-add the boundaries would be elsewhere.
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

## x sorted over axes (none: all of it), which become the first axis.
fn _in_order(x, axis) {
    let axes = _axes(axis, x.ndim)
    let lines = moveaxis(x, axes, tuple(0..len(axes)))
    sort(lines.reshape((prod(lines.shape[:len(axes)]),) + lines.shape[len(axes):]), axis=0)
}
## found, with size 1 for each of the axes that are gone when keepdims holds; `more` axes stand in front.
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

## percentile(x, q, axis=none, method="linear", keepdims=false): quantile with q from 0 to 100.
fn percentile(x, q, axis=none, method="linear", keepdims=false) {
    let q = array(q)
    assert(all(q >= 0) and all(q <= 100), "the `q` of `percentile` must lie from 0 to 100")
    quantile(x, clip(q / 100, 0, 1), axis=axis, method=method, keepdims=keepdims)
}

## median(x, axis=none, keepdims=false): the value in the middle, or the mean of the two there. NaN where x holds one.
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

## nanquantile(x, q, axis=none, method="linear", keepdims=false): quantile of what is not NaN; NaN where there is nothing.
fn nanquantile(x, q, axis=none, method="linear", keepdims=false) {
    let (x, q) = (_inexact(array(x)), _inexact(array(q)))
    let rows = _in_order(x, axis)
    if len(rows) == 0 { return quantile(x, q, axis=axis, method=method, keepdims=keepdims) }
    let count = sum((not isnan(rows)).astype(rows.dtype), axis=0)
    let found = _at_part(where(isnan(rows), 0, rows), q, maximum(count - 1, 0), method)
    _kept(where(count == 0, nan, found), x, axis, keepdims, q.ndim)
}
## nanpercentile(x, q, axis=none, method="linear", keepdims=false): nanquantile with q from 0 to 100.
fn nanpercentile(x, q, axis=none, method="linear", keepdims=false) =
    nanquantile(x, array(q) / 100, axis=axis, method=method, keepdims=keepdims)
## nanmedian(x, axis=none, keepdims=false): the median of what is not NaN.
fn nanmedian(x, axis=none, keepdims=false) = nanquantile(x, 0.5, axis=axis, keepdims=keepdims)

## logsumexp(x, axis=none, b=none, keepdims=false, return_sign=false, where=none): log(sum(b * exp(x))) without overflow, of what `where` chooses;
## return_sign: (the logarithm of the sum's size, its sign).
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

## nansum(x, axis=none, dtype=none, keepdims=false, initial=none, where=none): the sum of what is not NaN.
fn nansum(x, axis=none, dtype=none, keepdims=false, initial=none, where=none) =
    sum(_without_nan(x, 0), axis=axis, dtype=dtype, keepdims=keepdims, initial=initial, where=where)
## nanprod(x, axis=none, dtype=none, keepdims=false, initial=none, where=none): the product of what is not NaN.
fn nanprod(x, axis=none, dtype=none, keepdims=false, initial=none, where=none) = prod(
    _without_nan(x, 1),
    axis=axis,
    dtype=dtype,
    keepdims=keepdims,
    initial=initial,
    where=where,
)
fn _without_nan(x, value) = where(isnan(x), value, x)
## nanmax(x, axis=none, keepdims=false, initial=none, where=none): the greatest that is not NaN; NaN where all are and there is no initial. Integers keep their dtype.
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
## nanmin(x, axis=none, keepdims=false, initial=none, where=none): the least that is not NaN; NaN where all are and there is no initial. Integers keep their dtype.
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
## nanmean(x, axis=none, dtype=none, keepdims=false, where=none): the mean of what is not NaN; NaN where there is nothing.
fn nanmean(x, axis=none, dtype=none, keepdims=false, where=none) {
    let x = if dtype == none { _number(array(x)) } else { array(x).astype(dtype) }
    let wide = _wide(x)
    let there = (not isnan(wide)).astype(_real_dtype(wide))
    let count = sum(there, axis=axis, keepdims=keepdims, where=where)
    _like(nansum(wide, axis=axis, keepdims=keepdims, where=where) / count, x)
}
## nanvar(x, axis=none, dtype=none, ddof=0, keepdims=false, where=none): the variance of what is not NaN; NaN where it has no more than ddof elements.
fn nanvar(x, axis=none, dtype=none, ddof=0, keepdims=false, where=none) {
    let x = if dtype == none { _number(array(x)) } else { array(x).astype(dtype) }
    let wide = _wide(x)
    let gap = _without_nan(wide - nanmean(wide, axis=axis, keepdims=true, where=where), 0)
    let there = (not isnan(wide)).astype(_real_dtype(wide))
    let count = sum(there, axis=axis, keepdims=keepdims, where=where)
    let s = sum(_squares(gap), axis=axis, keepdims=keepdims, where=where)
    _like(s / _above_0(count - ddof), x)
}
## nanstd(x, axis=none, dtype=none, ddof=0, keepdims=false, where=none): the standard deviation of what is not NaN.
fn nanstd(x, axis=none, dtype=none, ddof=0, keepdims=false, where=none) =
    sqrt(nanvar(x, axis=axis, dtype=dtype, ddof=ddof, keepdims=keepdims, where=where))

## trapezoid(y, x=none, dx=1.0, axis=-1): the integral of y by the trapezoid rule.
fn trapezoid(y, x=none, dx=1.0, axis=-1) {
    let y = moveaxis(_inexact(y), axis, -1)
    let step =
        if x == none { dx } else if x.ndim == 1 { diff(x) } else { diff(moveaxis(x, axis, -1)) }
    0.5 * sum(step * (y[..., 1:] + y[..., :-1]), axis=-1)
}

## cov(x, y=none, rowvar=true, bias=false, ddof=none, fweights=none, aweights=none): the covariance matrix of variables in rows (rowvar=false: columns),
## f[k, n] -> f[k, k]; divided by n - ddof, or by 0 where that is below 0. ddof is 1, with bias 0. fweights: how often each
## observation counts, i32[n]; aweights: how much each counts, f[n], which takes ddof * sum(w * aweights) / sum(w) off
## sum(w), w being both together.
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

## corrcoef(x, y=none, rowvar=true): the correlation matrix of variables in rows.
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

# ---- finding

## flatnonzero(x, size=none, fill_value=none): the places in the flattened x that are not zero, i32[size].
fn flatnonzero(x, size=none, fill_value=none) =
    nonzero(ravel(x), size=_found(x, size, "flatnonzero"), fill_value=fill_value)[0]
## argwhere(x, size=none, fill_value=none): the indices of elements that are not zero, i32[size, ndim].
fn argwhere(x, size=none, fill_value=none) =
    stack(nonzero(x, size=_found(x, size, "argwhere"), fill_value=fill_value), axis=-1)
fn _found(x, size, what) =
    if size == none { _measured(count_nonzero(x), what, "size=n") } else { _known(size) }

## digitize(x, bins, right=false): the number of the bin between `bins` where each x lies, i32; bins all increase or all decrease.
fn digitize(x, bins, right=false) {
    let bins = _vector(bins, "digitize")
    let side = if right { "left" } else { "right" }
    if len(bins) == 0 { return zeros(array(x).shape, dtype=i32) }
    let falling = len(bins) - searchsorted(flip(bins), x, side=side)
    where(bins[-1] >= bins[0], searchsorted(bins, x, side=side), falling)
}

## histogram(x, bins=10, range=none, weights=none, density=false): (counts, edges) of equal bins over range (none: all of x), or of these edges; density: each
## count divided by the whole and by its bin's width. A range that is one number is widened by 0.5 on each side.
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
## The bin of each x, the last edge in the last; a number that is none where x is outside.
fn _bin_of(x, edges) {
    let n = len(edges) - 1
    let found = searchsorted(edges, x, side="right") - 1
    where(x == edges[-1], n - 1, where(found < 0, n, found))
}
## histogram2d(x, y, bins=10, range=none, weights=none, density=false): (counts [n, m], edges of x, edges of y); bins and range are one for both, or a tuple of two
## (a range then is (low, high)).
fn histogram2d(x, y, bins=10, range=none, weights=none, density=false) {
    let (x, y) = (ravel(x), ravel(y))
    let (b, c) = if kind(bins) == "tuple" { bins } else { (bins, bins) }
    let (r, s) = if range == none { (none, none) } else { range }
    let ex = histogram_bin_edges(x, bins=b, range=r)
    let ey = histogram_bin_edges(y, bins=c, range=s)
    let (n, m) = (len(ex) - 1, len(ey) - 1)
    let (i, j) = (_bin_of(x, ex), _bin_of(y, ey))
    let place = where(i < n and j < m, i * m + j, n * m)
    let w = if weights == none { none } else { ravel(weights) }
    let counts = bincount(place, weights=w, length=n * m).reshape(n, m)
    (
        if density { counts / sum(counts) / diff(ex)[:, none] / diff(ey) } else { counts },
        ex,
        ey,
    )
}
## histogram_bin_edges(x, bins=10, range=none): the edges that histogram uses, f[bins + 1].
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

## compress(mask, x, axis=none, size=none, fill_value=0): the elements of the flattened x, or its rows along an axis, where a mask (a vector or a tuple) holds, which may be shorter.
## With `size` so many of them, and fill_value for those that are missing.
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
## extract(mask, x, size=none, fill_value=0): the elements where a mask holds, f[m]; with `size` as compress.
fn extract(mask, x, size=none, fill_value=0) =
    _compress(ravel(mask), ravel(x), none, size, fill_value, "extract")
