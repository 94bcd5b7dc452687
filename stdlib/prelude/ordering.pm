# Global functions of order: parts of a sorting, sets, running sums, bits.

# ---- parts of a sorting

## partition(x, kth, axis=-1): x along an axis with the element that sorting puts at place kth there, none greater before and none less behind.
fn partition(x, kth, axis=-1) {
    let (y, d) =
        if axis == none { (ravel(x), 0) } else { (array(x), _axes(axis, array(x).ndim)[0]) }
    _check_kth(kth, y.shape[d], "partition")
    sort(y, axis=d)  # which is a partition at every place
}
## argpartition(x, kth, axis=-1): the places of the elements in the order of partition, i32.
fn argpartition(x, kth, axis=-1) {
    let (y, d) =
        if axis == none { (ravel(x), 0) } else { (array(x), _axes(axis, array(x).ndim)[0]) }
    _check_kth(kth, y.shape[d], "argpartition")
    argsort(y, axis=d)
}
fn _check_kth(kth, n, what) {
    let (k, n) = (_known(kth), _known(n))
    if k < -n or k >= n {
        _refuse("the `kth` of `{what}` must be a place among {n} elements, got {k}")
    }
}

## nanargmax(x, axis=none, keepdims=false): the place of the greatest element that is not NaN; -1 where all are.
fn nanargmax(x, axis=none, keepdims=false) {
    if not _is_float(x) { return argmax(x, axis=axis, keepdims=keepdims) }
    let found = argmax(where(isnan(x), -inf, x), axis=axis, keepdims=keepdims)
    where(all(isnan(x), axis=axis, keepdims=keepdims), -1, found)
}
## nanargmin(x, axis=none, keepdims=false): the place of the least element that is not NaN; -1 where all are.
fn nanargmin(x, axis=none, keepdims=false) {
    if not _is_float(x) { return argmin(x, axis=axis, keepdims=keepdims) }
    let found = argmin(where(isnan(x), inf, x), axis=axis, keepdims=keepdims)
    where(all(isnan(x), axis=axis, keepdims=keepdims), -1, found)
}

# ---- sets. The size of a result depends on values: it is computed outside of compiled code, and in it given by `size`; what is missing then
# is fill_value, by default the first element of the result.

## How many different elements x has, where no size is given; NaNs count once.
fn _unique_size(x, size, what) {
    if size != none { return size }
    let y = sort(ravel(x))
    if len(y) == 0 { return 0 }
    let differ = y[1:] != y[:-1]
    let differ = if _is_float(y) { differ and not (isnan(y[1:]) and isnan(y[:-1])) } else { differ }
    _measured(1 + count_nonzero(differ), what, "size=n")
}
## unique_values(x, size=none, fill_value=none): the different elements, in order.
fn unique_values(x, size=none, fill_value=none) =
    unique(x, size=_unique_size(x, size, "unique_values"), fill_value=fill_value)
## unique_counts(x, size=none, fill_value=none): {values, counts}.
fn unique_counts(x, size=none, fill_value=none) {
    let n = _unique_size(x, size, "unique_counts")
    let (values, counts) = unique(x, return_counts=true, size=n, fill_value=fill_value)
    {values, counts}
}
## unique_inverse(x, size=none, fill_value=none): {values, inverse_indices}: values[inverse_indices] is x.
fn unique_inverse(x, size=none, fill_value=none) {
    let n = _unique_size(x, size, "unique_inverse")
    let (values, inverse_indices) = unique(x, return_inverse=true, size=n, fill_value=fill_value)
    {values, inverse_indices}
}
## unique_all(x, size=none, fill_value=none): {values, indices, inverse_indices, counts}.
fn unique_all(x, size=none, fill_value=none) {
    let (values, indices, inverse_indices, counts) = unique(
        x,
        return_index=true,
        return_inverse=true,
        return_counts=true,
        size=_unique_size(x, size, "unique_all"),
        fill_value=fill_value,
    )
    {values, indices, inverse_indices, counts}
}

## union1d(a, b, size=none, fill_value=none): what stands in a or b, in order, each once. NaNs count as one.
fn union1d(a, b, size=none, fill_value=none) {
    let both = sort(concatenate((ravel(a), ravel(b))))
    _chosen(both, ones(len(both), dtype=bool), size, fill_value, "union1d")
}
## intersect1d(a, b, assume_unique=false, return_indices=false, size=none, fill_value=none): what stands in a and in b, in order, each once; return_indices:
## also the places where it stands first in a and in b, their lengths where something is missing. assume_unique changes nothing here.
fn intersect1d(a, b, assume_unique=false, return_indices=false, size=none, fill_value=none) {
    let (x, y) = (ravel(a), ravel(b))
    let dtype = result_type(x, y)
    let order = argsort(x)
    let (values, places) = (x[order], y.astype(dtype))
    let there = isin(values, y)
    let found = _chosen(values.astype(dtype), there, size, fill_value, "intersect1d")
    if not return_indices { return found }
    let n = len(found)
    let keep = there and _differs(values)
    let missing = arange(n) >= count_nonzero(keep)
    let of_x = concatenate((order, full(1, len(x), dtype=order.dtype)))
    let in_x = of_x[nonzero(keep, size=n, fill_value=len(x))[0]]
    let by_y = argsort(places)
    let in_y = concatenate((by_y, full(1, len(y), dtype=by_y.dtype)))[
        where(missing, len(y), searchsorted(places[by_y], found)),
    ]
    (found, in_x, in_y)
}
## setdiff1d(a, b, assume_unique=false, size=none, fill_value=none): what stands in a and not in b, in order, each once. What is missing is 0 by default.
## NaN is in no b; of several one is kept. With assume_unique the elements of a stay in their order, all of them.
fn setdiff1d(a, b, assume_unique=false, size=none, fill_value=none) {
    let fill = if fill_value == none { 0 } else { fill_value }
    if assume_unique {
        let x = ravel(a)
        return _kept_rows(x, isin(x, ravel(b), invert=true), size, fill, "setdiff1d")
    }
    let x = sort(ravel(a))
    _chosen(x, isin(x, ravel(b), invert=true), size, fill, "setdiff1d")
}
## setxor1d(a, b, assume_unique=false, size=none, fill_value=none): what stands in one of a and b only, in order, each once. A NaN of a is none of b.
## assume_unique changes nothing here.
fn setxor1d(a, b, assume_unique=false, size=none, fill_value=none) {
    let (x, y) = (sort(ravel(a)), sort(ravel(b)))
    let both = concatenate((x, y))
    let order = argsort(both)
    let alone = concatenate((
        _differs(x) and isin(x, y, invert=true),
        _differs(y) and isin(y, x, invert=true),
    ))
    _kept_rows(both[order], alone[order], size, fill_value, "setxor1d")
}
## For each of sorted elements whether it is the first of its kind; NaNs are of one kind.
fn _differs(x) {
    if len(x) == 0 { return zeros(0, dtype=bool) }
    let (before, after) = (x[:-1], x[1:])
    concatenate((ones(1, dtype=bool), before != after and (before == before or after == after)))
}
## Of a sorted x the different elements where `there` holds.
fn _chosen(x, there, size, fill_value, what) =
    _kept_rows(x, there and _differs(x), size, fill_value, what)
## The elements of x where `keep` holds; `what` is the function that gives them.
fn _kept_rows(x, keep, size, fill_value, what) {
    let count = count_nonzero(keep)
    let n = if size == none { _measured(count, what, "size=n") } else { _count(size, "`size`") }
    if len(x) == 0 {
        return full(n, if fill_value == none { 0 } else { fill_value }, dtype=x.dtype)
    }
    let found = x[nonzero(keep, size=n)[0]]
    if n == 0 { return found }
    where(arange(n) < count, found, if fill_value == none { found[0] } else { fill_value }).astype(
        x.dtype,
    )
}

# ---- running sums

## cumulative_sum(x, axis=none, dtype=none, include_initial=false): cumsum; with include_initial 0 in front.
fn cumulative_sum(x, axis=none, dtype=none, include_initial=false) = _with_initial(
    cumsum(x, axis=_one_axis(x, axis), dtype=dtype),
    _one_axis(x, axis),
    include_initial,
    0,
)
## cumulative_prod(x, axis=none, dtype=none, include_initial=false): cumprod; with include_initial 1 in front.
fn cumulative_prod(x, axis=none, dtype=none, include_initial=false) = _with_initial(
    cumprod(x, axis=_one_axis(x, axis), dtype=dtype),
    _one_axis(x, axis),
    include_initial,
    1,
)
fn _one_axis(x, axis) {
    if axis != none { return axis }
    if array(x).ndim != 1 { _refuse("running sums of {_type(x)} need an `axis`") }
    0
}
fn _with_initial(y, axis, include_initial, value) {
    if not include_initial { return y }
    let d = _axes(axis, y.ndim)[0]
    concatenate((full(_with_size(y.shape, d, 1), value, dtype=y.dtype), y), axis=d)
}
## nancumsum(x, axis=none, dtype=none): cumsum with 0 for NaN.
fn nancumsum(x, axis=none, dtype=none) = cumsum(_without_nan(x, 0), axis=axis, dtype=dtype)
## nancumprod(x, axis=none, dtype=none): cumprod with 1 for NaN.
fn nancumprod(x, axis=none, dtype=none) = cumprod(_without_nan(x, 1), axis=axis, dtype=dtype)

# ---- bits

## bitwise_count(x): how many bits of |x| are 1, u8.
fn bitwise_count(x) = population_count(abs(x)).astype(u8)
## packbits(x, axis=none, bitorder="big"): eight bools, or numbers that are zero or not, in each byte, u8; the last byte is filled up with 0.
fn packbits(x, axis=none, bitorder="big") {
    let order = _option(bitorder, "`bitorder`", ("big", "little"))
    let (y, d) =
        if axis == none { (ravel(x), 0) } else { (array(x), _axes(axis, array(x).ndim)[0]) }
    let rows = moveaxis(y != 0, d, -1)
    let n = rows.shape[-1]
    let more = (8 - n % 8) % 8
    let wide = concatenate((rows, zeros(rows.shape[:-1] + (more,), dtype=bool)), axis=-1)
    let groups = wide.reshape(rows.shape[:-1] + ((n + more) // 8, 8))
    let weights = if order == "big" { 7 - arange(8) } else { arange(8) }
    moveaxis(sum(where(groups, 1 << weights, 0), axis=-1).astype(u8), -1, d)
}
## unpackbits(x, axis=none, count=none, bitorder="big"): the bits of u8 as u8 0 and 1, the first `count` of them.
fn unpackbits(x, axis=none, count=none, bitorder="big") {
    let order = _option(bitorder, "`bitorder`", ("big", "little"))
    let (y, d) =
        if axis == none { (ravel(x), 0) } else { (array(x), _axes(axis, array(x).ndim)[0]) }
    if y.dtype != u8 { _refuse("`unpackbits` needs bytes u8[...], got {_type(x)}") }
    let rows = moveaxis(y, d, -1)
    let shifts = (if order == "big" { 7 - arange(8) } else { arange(8) }).astype(u8)
    let bits = ((rows[..., none] >> shifts) & 1).reshape(rows.shape[:-1] + (rows.shape[-1] * 8,))
    let n = bits.shape[-1]
    let k = if count == none { n } else { _known(count) }
    moveaxis(slice_in_dim(bits, 0, if k < 0 { n + k } else { k }, axis=-1), -1, d)
}
