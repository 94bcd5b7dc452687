# Global functions of order: partial sorting, sets, prefix sums, bits.

# ---- partial sorting

## partition(x, kth, axis=-1): x partitioned along `axis`: the element at index kth is the one that sorting puts there.
## No element before it is greater, and no element after it is less. The result is sorted, which is a partition for
## every `kth`. If `axis` is none, x is flattened. `kth` must be one known integer. A negative one counts from the end.
fn partition(x, kth, axis=-1) {
    let (y, d) =
        if axis == none { (ravel(x), 0) } else { (array(x), _axes(axis, array(x).ndim)[0]) }
    _check_kth(kth, y.shape[d], "partition")
    sort(y, axis=d)  # a partition for every kth
}
## argpartition(x, kth, axis=-1): the indices along `axis` that put x in the order of partition, i32.
## The arguments are those of partition.
fn argpartition(x, kth, axis=-1) {
    let (y, d) =
        if axis == none { (ravel(x), 0) } else { (array(x), _axes(axis, array(x).ndim)[0]) }
    _check_kth(kth, y.shape[d], "argpartition")
    argsort(y, axis=d)
}
## sort_complex(x): x as complex numbers sorted along the last axis, by real parts, then by imaginary parts.
fn sort_complex(x) {
    let x = _of_rank_at_least(x, 1, "sort_complex", "an array x[..., n]")
    sort(x.astype(result_type(x, c64)), axis=-1)
}
fn _check_kth(kth, n, what) {
    let (k, n) = (_known(kth), _known(n))
    if k < -n or k >= n {
        _refuse("the `kth` of `{what}` must be a place among {n} elements, got {k}")
    }
}

## nanargmax(x, axis=none, keepdims=false): the index of the greatest element along `axis` that is not NaN, or -1 if all
## are NaN, i32. If `axis` is none it is an index into the flattened x. It is the first of equal elements. If all other
## elements are -inf, a NaN before them may be taken for one of them, as in numpy.nanargmax.
fn nanargmax(x, axis=none, keepdims=false) {
    if not _is_float(x) { return argmax(x, axis=axis, keepdims=keepdims) }
    let found = argmax(where(isnan(x), -inf, x), axis=axis, keepdims=keepdims)
    where(all(isnan(x), axis=axis, keepdims=keepdims), -1, found)
}
## nanargmin(x, axis=none, keepdims=false): the index of the least element along `axis` that is not NaN, or -1 if all
## are NaN, i32. If `axis` is none it is an index into the flattened x. It is the first of equal elements. If all other
## elements are inf, a NaN before them may be taken for one of them, as in numpy.nanargmin.
fn nanargmin(x, axis=none, keepdims=false) {
    if not _is_float(x) { return argmin(x, axis=axis, keepdims=keepdims) }
    let found = argmin(where(isnan(x), inf, x), axis=axis, keepdims=keepdims)
    where(all(isnan(x), axis=axis, keepdims=keepdims), -1, found)
}

# ---- sets. The size of a result depends on values. It is computed, outside of compiled code only, or given by `size`.
# If the result has fewer elements than `size`, it is padded with fill_value, by default its first element.

## `size`, or if it is none the computed number of distinct elements of x, in which all NaNs count as one.
fn _unique_size(x, size, what) {
    if size != none { return size }
    let y = sort(ravel(x))
    if len(y) == 0 { return 0 }
    let differ = y[1:] != y[:-1]
    let differ = if _is_float(y) { differ and not (isnan(y[1:]) and isnan(y[:-1])) } else { differ }
    _measured(1 + count_nonzero(differ), what, "size=n")
}
## unique_values(x, size=none, fill_value=none): the sorted distinct elements of x, a vector. All NaNs count as one.
fn unique_values(x, size=none, fill_value=none) =
    unique(x, size=_unique_size(x, size, "unique_values"), fill_value=fill_value)
## unique_counts(x, size=none, fill_value=none): the record {values, counts} of the sorted distinct elements of x and
## the number of times that each occurs, i32.
fn unique_counts(x, size=none, fill_value=none) {
    let n = _unique_size(x, size, "unique_counts")
    let (values, counts) = unique(x, return_counts=true, size=n, fill_value=fill_value)
    {values, counts}
}
## unique_inverse(x, size=none, fill_value=none): the record {values, inverse_indices} of the sorted distinct elements
## of x and the index of each element of x in them. values[inverse_indices] is x. inverse_indices has the shape of x.
fn unique_inverse(x, size=none, fill_value=none) {
    let n = _unique_size(x, size, "unique_inverse")
    let (values, inverse_indices) = unique(x, return_inverse=true, size=n, fill_value=fill_value)
    {values, inverse_indices}
}
## unique_all(x, size=none, fill_value=none): the record {values, indices, inverse_indices, counts} of the sorted
## distinct elements of x. `indices` are those of the first occurrences in the flattened x. inverse_indices has the
## shape of x, and values[inverse_indices] is x. `counts` are the numbers of occurrences. All are i32.
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

## union1d(a, b, size=none, fill_value=none): the sorted distinct elements of a and b, a vector.
## The arrays are flattened. All NaNs count as one.
fn union1d(a, b, size=none, fill_value=none) {
    let both = sort(concatenate((ravel(a), ravel(b))))
    _chosen(both, ones(len(both), dtype=bool), size, fill_value, "union1d")
}
## intersect1d(a, b, assume_unique=false, return_indices=false, size=none, fill_value=none): the sorted distinct
## elements that are both in a and in b, a vector. The arrays are flattened. NaN is never in both. With return_indices
## the result is (elements, indices in a, indices in b), those of the first occurrences. Padded indices are the sizes of
## a and b. assume_unique has no effect.
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
## setdiff1d(a, b, assume_unique=false, size=none, fill_value=none): the sorted distinct elements of a that are not in
## b, a vector. The arrays are flattened. The default of fill_value is 0. A NaN of a is never in b, and all NaNs count
## as one. With assume_unique the elements keep the order and the duplicates of a.
fn setdiff1d(a, b, assume_unique=false, size=none, fill_value=none) {
    let fill = if fill_value == none { 0 } else { fill_value }
    if assume_unique {
        let x = ravel(a)
        return _kept_rows(x, isin(x, ravel(b), invert=true), size, fill, "setdiff1d")
    }
    let x = sort(ravel(a))
    _chosen(x, isin(x, ravel(b), invert=true), size, fill, "setdiff1d")
}
## setxor1d(a, b, assume_unique=false, size=none, fill_value=none): the sorted distinct elements that are in only one of
## a and b, a vector. The arrays are flattened. A NaN of a and a NaN of b count as different elements, so that both are
## kept. assume_unique has no effect.
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
## For each element of a sorted vector, true if it is the first of equal ones. NaNs count as equal.
fn _differs(x) {
    if len(x) == 0 { return zeros(0, dtype=bool) }
    let (before, after) = (x[:-1], x[1:])
    concatenate((ones(1, dtype=bool), before != after and (before == before or after == after)))
}
## The distinct elements of a sorted x for which `there` is true.
fn _chosen(x, there, size, fill_value, what) =
    _kept_rows(x, there and _differs(x), size, fill_value, what)
## The elements of x for which `keep` is true, padded to `size`. `what` is the name of the calling function for
## messages.
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

# ---- prefix sums and products

## cumulative_sum(x, axis=none, dtype=none, include_initial=false): the prefix sums of x along `axis`, as cumsum.
## With include_initial they begin with 0, so that there is one more. `axis` may be none for vectors only.
fn cumulative_sum(x, axis=none, dtype=none, include_initial=false) = _with_initial(
    cumsum(x, axis=_one_axis(x, axis), dtype=dtype),
    _one_axis(x, axis),
    include_initial,
    0,
)
## cumulative_prod(x, axis=none, dtype=none, include_initial=false): the prefix products of x along `axis`, as cumprod.
## With include_initial they begin with 1, so that there is one more. `axis` may be none for vectors only.
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
## nancumsum(x, axis=none, dtype=none): the prefix sums of x along `axis` with NaN replaced by 0, as cumsum.
## If `axis` is none, x is flattened.
fn nancumsum(x, axis=none, dtype=none) = cumsum(_without_nan(x, 0), axis=axis, dtype=dtype)
## nancumprod(x, axis=none, dtype=none): the prefix products of x along `axis` with NaN replaced by 1, as cumprod.
## If `axis` is none, x is flattened.
fn nancumprod(x, axis=none, dtype=none) = cumprod(_without_nan(x, 1), axis=axis, dtype=dtype)

# ---- bits

## bitwise_count(x): the number of bits of |x| that are 1, elementwise for integers, u8.
fn bitwise_count(x) = population_count(abs(x)).astype(u8)
## packbits(x, axis=none, bitorder="big"): the bools x packed into bytes along `axis`, eight in each, u8.
## Elements that are not bools count as x != 0. The last byte is padded with zero bits. With bitorder="big" the first
## element is the highest bit, with "little" the lowest. If `axis` is none, x is flattened.
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
## unpackbits(x, axis=none, count=none, bitorder="big"): the bits 0 and 1 of bytes x u8[...] along `axis`, u8, eight
## times as many. `count` is the number of bits to keep. A negative one removes bits from the end. bitorder is that of
## packbits. If `axis` is none, x is flattened. Other dtypes are an error.
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
