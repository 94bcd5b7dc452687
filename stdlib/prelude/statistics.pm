# Global functions that describe arrays: means and spread, places and counts.

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
    let rows = _in_order(x, axis)
    let at = clip(q, 0, 1) * (len(rows) - 1)
    if len(rows) == 0 { return zeros(at.shape + rows.shape[1:], dtype=rows.dtype) + nan }
    let low = floor(at)
    let part = (at - low).astype(rows.dtype)
    let part = part.reshape(part.shape + (1,) * (rows.ndim - 1))
    let mixed = rows[low.astype(i32)] * (1 - part) + rows[ceil(at).astype(i32)] * part
    where(isnan(rows[-1]), nan, mixed)
}

## x sorted along an axis (none: all of it), which becomes the first.
fn _in_order(x, axis) =
    sort(if axis == none { x.reshape(-1) } else { moveaxis(x, axis, 0) }, axis=0)

## percentile(x, q, axis=none): quantile with q from 0 to 100.
fn percentile(x, q, axis=none) = quantile(x, q / 100, axis=axis)

## median(x, axis=none): the value in the middle, or the mean of the two there. NaN where x holds one.
fn median(x, axis=none) {
    let rows = _in_order(_inexact(x), axis)
    let n = len(rows)
    if n == 0 { return zeros(rows.shape[1:], dtype=rows.dtype) + nan }
    where(isnan(rows[-1]), nan, 0.5 * rows[(n - 1) // 2] + 0.5 * rows[n // 2])
}

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
