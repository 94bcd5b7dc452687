# Names of jax.lax that jax.numpy does not have. Comments give shapes; "..." denotes leading axes.

# ---- slices at computed indices, other slices and conversions

## dynamic_slice_in_dim(x, start, size, axis=0): `size` elements of x along `axis` from the index `start`, which may be
## computed. A negative `start` counts from the end. It is then clipped so that the slice lies within x. `size` must be
## known.
fn dynamic_slice_in_dim(x, start, size, axis=0) {
    let y = moveaxis(x, axis, 0)
    let n = len(y)
    let s = clip(where(start < 0, start + n, start), 0, n - size)
    moveaxis(y[s:+size], 0, axis)
}
## dynamic_index_in_dim(x, index, axis=0, keepdims=true): the slice of x at the computed index `index` along `axis`, of
## size 1 along it. With keepdims=false the axis is removed. The index is clipped as in dynamic_slice_in_dim.
fn dynamic_index_in_dim(x, index, axis=0, keepdims=true) {
    let part = dynamic_slice_in_dim(x, index, 1, axis=axis)
    if keepdims { part } else { squeeze(part, axis=axis) }
}

## dynamic_update_slice_in_dim(x, update, start, axis=0): x with a slice along `axis` replaced by `update`, from the
## index `start`, which may be computed. A negative `start` counts from the end. It is then clipped so that `update`
## lies within x.
fn dynamic_update_slice_in_dim(x, update, start, axis=0) {
    let y = moveaxis(x, axis, 0)
    let u = moveaxis(update, axis, 0)
    let s = clip(where(start < 0, start + len(y), start), 0, len(y) - len(u))
    moveaxis(y with [s:+len(u)] = u, 0, axis)
}
## dynamic_update_index_in_dim(x, update, index, axis=0): x with the slice at the computed index `index` along `axis`
## replaced by `update`. `update` has size 1 along the axis, or does not have the axis. The index is clipped as in
## dynamic_update_slice_in_dim.
fn dynamic_update_index_in_dim(x, update, index, axis=0) = dynamic_update_slice_in_dim(
    x,
    if update.ndim == x.ndim { update } else { expand_dims(update, axis) },
    index,
    axis=axis,
)

## slice_in_dim(x, start, limit, stride=1, axis=0): the slice start:limit:stride of x along `axis`.
fn slice_in_dim(x, start, limit, stride=1, axis=0) =
    moveaxis(moveaxis(x, axis, 0)[start:limit:stride], 0, axis)
## slice(x, start_indices, limit_indices, strides=none): the slice of x with start:limit:stride along every axis.
## start_indices, limit_indices and strides have one number for each axis. If strides is none, all strides are 1.
fn slice(x, start_indices, limit_indices, strides=none) {
    if len(start_indices) != x.ndim or len(limit_indices) != x.ndim {
        _refuse("`slice` needs a start and a limit for each of {_counted(x.ndim, "axis", "axes")}, got {len(start_indices)} and {len(limit_indices)}")
    }
    mut y = x
    for i in tuple(0..x.ndim) {
        let step = if strides == none { 1 } else { strides[i] }
        y = slice_in_dim(y, start_indices[i], limit_indices[i], stride=step, axis=i)
    }
    y
}
## index_in_dim(x, index, axis=0, keepdims=true): the slice index:index + 1 of x along `axis`. A negative index counts
## from the end.
## With keepdims=false it is the slice at `index` without the axis.
fn index_in_dim(x, index, axis=0, keepdims=true) {
    let part = take(x, index, axis=axis)
    if keepdims { expand_dims(part, axis) } else { part }
}
## iota(dtype, size): the integers 0, 1, ..., size - 1, dtype[size].
fn iota(dtype, size) = arange(size, dtype=dtype)
## broadcast(x, sizes): x repeated along new leading axes of the sizes in the tuple `sizes`.
fn broadcast(x, sizes) = broadcast_to(x, sizes + x.shape)
## batch_matmul(a, b, precision=none): the matrix product a @ b.
## The leading axes are batch axes and broadcast. `precision` is that of matmul.
fn batch_matmul(a, b, precision=none) = matmul(a, b, precision=precision)
## convert_element_type(x, dtype): x converted to this dtype, x.astype(dtype).
fn convert_element_type(x, dtype) = x.astype(dtype)
## sort_key_val(keys, values, axis=-1): (keys sorted along `axis`, values in the same order).
## The sort is stable. keys and values have the same shape.
fn sort_key_val(keys, values, axis=-1) {
    let order = argsort(keys, axis=axis)
    (take_along_axis(keys, order, axis=axis), take_along_axis(values, order, axis=axis))
}

## approx_max_k(x, k, reduction_dimension=-1): (values, indices i32) of the k greatest elements of x along the axis
## reduction_dimension, the greatest first. The result is exact, as that of top_k.
fn approx_max_k(x, k, reduction_dimension=-1) = top_k(x, k, axis=reduction_dimension)
## approx_min_k(x, k, reduction_dimension=-1): (values, indices i32) of the k least elements of x along the axis
## reduction_dimension, the least first. The result is exact.
fn approx_min_k(x, k, reduction_dimension=-1) {
    let order = argsort(array(x), axis=reduction_dimension)
    let at =
        slice_in_dim(order, 0, _count(k, "the `k` of `approx_min_k`"), axis=reduction_dimension)
    (take_along_axis(x, at, axis=reduction_dimension), at)
}
## optimization_barrier(x): x. In JAX it keeps the compiler from moving operations across.
fn optimization_barrier(x) = x

# ---- shapes

## broadcast_to_rank(x, rank): x with leading axes of size 1, so that it has `rank` axes.
fn broadcast_to_rank(x, rank) {
    let x = array(x)
    x.reshape((1,) * _count(rank - x.ndim, "the added axes of `broadcast_to_rank`") + x.shape)
}
## broadcast_like(x, like): x broadcast to the shape of the array `like`.
fn broadcast_like(x, like) = broadcast_to(x, array(like).shape)
## broadcast_in_dim(x, shape, broadcast_dimensions): x broadcast to `shape`, with axis i of x as axis
## broadcast_dimensions[i]. broadcast_dimensions has one index for each axis of x, in increasing order. Axes of size 1
## are repeated.
fn broadcast_in_dim(x, shape, broadcast_dimensions) {
    let x = array(x)
    if len(broadcast_dimensions) != x.ndim {
        _refuse("`broadcast_in_dim` needs a place for each of {x.ndim} axes, got {len(broadcast_dimensions)}")
    }
    mut sizes = (1,) * len(shape)
    mut before = -1
    for (i, d) in tuple(enumerate(broadcast_dimensions)) {
        if d <= before or d >= len(shape) {
            _refuse("the places of `broadcast_in_dim` must increase and be below {len(shape)}, got {broadcast_dimensions}")
        }
        before = d
        sizes = _replace(sizes, d, x.shape[i])
    }
    broadcast_to(x.reshape(sizes), shape)
}
## collapse(x, start_dimension, stop_dimension=none): x with the axes from start_dimension up to, but not including,
## stop_dimension flattened into one. If stop_dimension is none, it is the number of axes. Negative numbers count from
## the end. At least one axis must be selected.
fn collapse(x, start_dimension, stop_dimension=none) {
    let first = _axes(start_dimension, x.ndim)[0]
    let stop = if stop_dimension == none { x.ndim } else { _known(stop_dimension) }
    let last = if stop < 0 { stop + x.ndim } else { stop }
    if last <= first or last > x.ndim {
        _refuse("`collapse` needs axes of x, the first below the stop, got {start_dimension} and {stop_dimension} for {_type(x)}")
    }
    x.reshape(x.shape[:first] + (prod(x.shape[first:last]),) + x.shape[last:])
}

# ---- elementwise

## integer_pow(x, n): x ** n for an integer n known at compile time.
fn integer_pow(x, n) = x ** _known(n)
## clz(x): the number of leading zero bits of integers, elementwise, in the dtype of x.
## Other dtypes are an error.
fn clz(x) {
    let x = array(x)
    if not _is_integer(x) { _refuse("`clz` needs integers, got {_type(x)}") }
    let bits = iinfo(x).bits
    let word =
        if bits == 8 { u8 } else if bits == 16 { u16 } else if bits == 32 { u32 } else { u64 }
    mut filled = bitcast_convert_type(x, word)
    for step in (1, 2, 4, 8, 16, 32) {
        if step < bits { filled = filled | (filled >> step) }
    }
    (bits - population_count(filled)).astype(x.dtype)
}
## mulhi(x, y): the high half of the exact products of integers, elementwise, in their common dtype.
fn mulhi(x, y) {
    let dtype = result_type(x, y)
    if not _is_integer(zeros((), dtype=dtype)) {
        _refuse("`mulhi` needs integers, got {_type(x)} and {_type(y)}")
    }
    let (x, y) = (array(x).astype(dtype), array(y).astype(dtype))
    let info = iinfo(dtype)
    let wide = if info.min == 0 { u64 } else { i64 }
    if info.bits < 64 { return ((x.astype(wide) * y.astype(wide)) >> info.bits).astype(dtype) }
    # Products of halves of 32 bits, the low halves without sign.
    let low = fn(v) = v & full((), 4294967295, dtype=dtype)
    let (a, b, c, d) = (x >> 32, low(x), y >> 32, low(y))
    let inner = a * d + (bitcast_convert_type(bitcast_convert_type(b * d, u64) >> 32, dtype))
    a * c + (inner >> 32) + ((low(inner) + b * c) >> 32)
}
## igamma_grad_a(a, x): the derivative of igamma(a, x) with respect to a.
fn igamma_grad_a(a, x) {
    let (a, x) = broadcast_arrays(_inexact(array(a)), x)
    jvp(fn(a) = igamma(a, x), (a,), (ones_like(a),))[1]
}
## reduce_precision(x, exponent_bits, mantissa_bits): floats rounded to a format with these numbers of bits, in the dtype
## of x. Ties are rounded to even. Too large numbers become infinities, and numbers below the least normal one become
## zeros. Tangents and cotangents are rounded too, as in JAX.
fn reduce_precision(x, exponent_bits, mantissa_bits) {
    let x = _inexact(array(x))
    let e = _count(exponent_bits, "the `exponent_bits` of `reduce_precision`", least=1)
    let m = _count(mantissa_bits, "the `mantissa_bits` of `reduce_precision`")
    let rounded = fn(y) = _with_precision(y, e, m)
    let linear = _linear_call(fn(_, d) = rounded(d), fn(_, g) = rounded(g))
    custom_jvp(rounded, fn((x,), (d,)) = (reduce_precision(x, e, m), linear((), d)))(x)
}
fn _with_precision(x, exponent_bits, mantissa_bits) {
    let info = finfo(x)
    let word = if info.bits == 16 { u16 } else if info.bits == 32 { u32 } else { u64 }
    let one = ones((), dtype=word)
    mut size = bitcast_convert_type(abs(x), word)
    let cut = info.nmant - _known(mantissa_bits)
    if cut > 0 {
        let last = (size >> cut) & one
        size = ((size + (one << (cut - 1)) - one + last) >> cut) << cut
    }
    let y = bitcast_convert_type(size, x.dtype)
    let bias = 2 ** (_known(exponent_bits) - 1) - 1
    let own = 2 ** (info.bits - 2 - info.nmant) - 1
    let narrow = bias < own
    let kept = if narrow {
        let most = bitcast_convert_type(full((), own + bias + 1, dtype=word) << info.nmant, x.dtype)
        let least =
            bitcast_convert_type(full((), own + 1 - bias, dtype=word) << info.nmant, x.dtype)
        where(y >= most, inf, where(y < least, 0, y))
    } else {
        y
    }
    where(isnan(x), x, copysign(kept, x)).astype(x.dtype)
}
## bessel_i0e(x): the exponentially scaled modified Bessel function of order 0, exp(-|x|) i0(x).
## It is special.i0e.
fn bessel_i0e(x) = special.i0e(x)
## bessel_i1e(x): the exponentially scaled modified Bessel function of order 1, exp(-|x|) i1(x).
## It is special.i1e.
fn bessel_i1e(x) = special.i1e(x)
## igamma(a, x): the regularized lower incomplete gamma function.
## It is special.gammainc.
fn igamma(a, x) = special.gammainc(a, x)
## igammac(a, x): the regularized upper incomplete gamma function, 1 - igamma(a, x).
## It is special.gammaincc.
fn igammac(a, x) = special.gammaincc(a, x)
## polygamma(n, x): the n-th derivative of digamma at x.
## It is special.polygamma.
fn polygamma(n, x) = special.polygamma(n, x)
## zeta(x, q): the Hurwitz zeta function, the sum of (k + q)^-x over all integers k >= 0.
## It is special.zeta.
fn zeta(x, q) = special.zeta(x, q)
## betainc(a, b, x): the regularized incomplete beta function.
## It is special.betainc.
fn betainc(a, b, x) = special.betainc(a, b, x)

# ---- reductions

## reduce(x, init, f, axes): the elements of x and `init` combined along `axes` by f(a, b), which must be associative.
## `axes` is an index or a tuple of indices. The axes are removed from the last to the first, and each removal combines
## `init` with every slice once. `init` should therefore be the identity of f. Adjacent elements are combined in pairs.
## Results of floats may therefore differ in the last digits from those of a loop. x and `init` may be trees. Then f
## takes and returns such trees.
fn reduce(x, init, f, axes) {
    let all = tree_leaves(x)
    let rank = array(all[0]).ndim
    let along = if kind(axes) == "tuple" { tuple(axes) } else { (axes,) }
    mut list = _axes(along, rank)
    mut y = x
    for d in reversed(list) {
        y = _reduced_axis(y, init, f, d)
    }
    y
}
fn _reduced_axis(x, init, f, d) {
    let first = tree_map(fn(l) = moveaxis(array(l), d, 0), x)
    mut y = first
    mut n = len(tree_leaves(first)[0])
    let start =
        tree_map(fn(l, i) = broadcast_to(array(i).astype(l.dtype), l.shape[1:]), first, init)
    if n == 0 { return start }
    for _ in tuple(0..64) {
        if n > 1 {
            let half = n // 2
            let joined = f(
                tree_map(fn(l) = l[0:2 * half:2], y),
                tree_map(fn(l) = l[1:2 * half:2], y),
            )
            y = if n % 2 == 1 {
                tree_map(fn(a, b) = concatenate((a, b[n - 1:])), joined, y)
            } else {
                joined
            }
            n = n - half
        }
    }
    f(start, tree_map(fn(l) = l[0], y))
}
## reduce_sum(x, axes): the sum of the elements of x along `axes`.
fn reduce_sum(x, axes) = sum(x, axis=axes)
## reduce_prod(x, axes): the product of the elements of x along `axes`.
fn reduce_prod(x, axes) = prod(x, axis=axes)
## reduce_max(x, axes): the greatest element of x along `axes`.
fn reduce_max(x, axes) = max(x, axis=axes)
## reduce_min(x, axes): the least element of x along `axes`.
fn reduce_min(x, axes) = min(x, axis=axes)
## reduce_and(x, axes): true if all elements of x along `axes` are true.
fn reduce_and(x, axes) = all(x, axis=axes)
## reduce_or(x, axes): true if any element of x along `axes` is true.
fn reduce_or(x, axes) = any(x, axis=axes)

## reduce_xor(x, axes): the bitwise exclusive or of the integers or bools of x along `axes`.
fn reduce_xor(x, axes) = reduce(x, zeros((), dtype=array(x).dtype), fn(a, b) = a ^ b, axes)

## cumlogsumexp(x, axis=0, reverse=false): the logarithms of the prefix sums of exp(x) along `axis`, without overflow.
## With `reverse` the sums start from the end. They are computed in f64. The result has the shape and dtype of x, where
## integers and bools count as floats.
fn cumlogsumexp(x, axis=0, reverse=false) {
    let x = _inexact(x)
    let y = f64(x)
    # The scan computes the prefix sums of exp(x - top) in f64, with the prefix maximum `top`.
    let start = (stop_gradient(y), _unit_exp(y))
    let (top, s) = associative_scan(_scaled_sum, start, reverse=reverse, axis=axis)
    # For infinite elements the derivatives are those of logaddexp: 1 for each inf, NaN for two or more -inf.
    let slope = s - stop_gradient(s)
    let log_s = where(top == inf, slope, where(top == -inf and s > 1, 1 / (s * inf) ** 2, log(s)))
    (top + log_s).astype(x.dtype)
}
# exp(x - stop_gradient(x)), also for infinities. Its value and all its derivatives are 1.
let _unit_exp = custom_jvp(fn(x) = ones_like(x), fn((x,), (d,)) = (_unit_exp(x), _unit_exp(x) * d))
# The sum of two scaled numbers, where (m, s) denotes exp(m) * s.
fn _scaled_sum((m, s), (k, r)) {
    let lesser = where(m == k, 1, exp(-abs(m - k)))
    let first = m > k
    (maximum(m, k), s * where(first, 1, lesser) + r * where(first, lesser, 1))
}

# ---- windows

## conv_general_dilated(x, w, window_strides, padding, lhs_dilation=none, rhs_dilation=none, dimension_numbers=none, feature_group_count=1, precision=none):
## the convolution of x with the kernel w, as windows.conv. Each result is the sum of a window of x times w, which is
## not flipped. dimension_numbers gives the order of the axes of x, w and the result, such as ("NHWC", "HWIO", "NHWC").
## If it is none, it is ("NCHW", "OIHW", "NCHW"), with as many spatial axes (1 to 3) as x has. `padding` is "SAME",
## "VALID" or a pair (before, after) for each spatial axis. window_strides, lhs_dilation and rhs_dilation are a number
## or one for each spatial axis. lhs_dilation - 1 zeros are inserted between the elements of x, and rhs_dilation - 1
## between those of w. feature_group_count divides the features of x and the outputs of w into groups. `precision` is
## that of matmul.
fn conv_general_dilated(
    x,
    w,
    window_strides,
    padding,
    lhs_dilation=none,
    rhs_dilation=none,
    dimension_numbers=none,
    feature_group_count=1,
    precision=none,
) = _conv_general(
    x,
    w,
    window_strides,
    padding,
    lhs_dilation,
    rhs_dilation,
    dimension_numbers,
    feature_group_count,
    precision,
    "conv_general_dilated",
)
fn _conv_general(
    x,
    w,
    window_strides,
    padding,
    lhs_dilation,
    rhs_dilation,
    dimension_numbers,
    feature_group_count,
    precision,
    what,
) {
    if not _is_numeric(x) or not _is_numeric(w) or x.ndim < 3 or x.ndim > 5 or w.ndim != x.ndim {
        _refuse("`{what}` needs x and w with 1 to 3 axes of space and two more, got {_type(x)} and {_type(w)}")
    }
    let space = x.ndim - 2
    let letters = "DHW"[3 - space:]
    let (of_x, of_w, of_y) = if dimension_numbers == none {
        ("NC{letters}", "OI{letters}", "NC{letters}")
    } else {
        dimension_numbers
    }
    let dims = _letters_apart(of_x, "NC")
    let (x_order, w_order) = (_order_of(of_x, "N{dims}C", what), _order_of(of_w, "{dims}IO", what))
    mut y = transpose(x, x_order)
    let kernel = transpose(w, w_order)
    let groups = _count(feature_group_count, "the `feature_group_count` of `{what}`", least=1)
    let (c, i, o) = (y.shape[-1], kernel.shape[-2], kernel.shape[-1])
    if i * groups != c or o % groups != 0 {
        let parts = if groups == 1 { "" } else { " in {groups} groups" }
        _refuse(
            "`{what}` needs w that takes the features of x: x {_type(x)} (\"{of_x}\") has {c}{parts}, w {_type(w)} (\"{of_w}\") takes {i} and gives {o}",
        )
    }
    let steps = windows._per_axis(window_strides, space, "the `window_strides` of `{what}`")
    let gaps = windows._per_axis(
        if rhs_dilation == none { 1 } else { rhs_dilation },
        space,
        "the `rhs_dilation` of `{what}`",
    )
    let apart = windows._per_axis(
        if lhs_dilation == none { 1 } else { lhs_dilation },
        space,
        "the `lhs_dilation` of `{what}`",
    )
    for (i, step) in tuple(enumerate(apart)) { y = windows._spread(y, i + 1, step) }
    let found = windows._summed(
        y,
        kernel,
        steps,
        padding,
        gaps,
        groups,
        precision,
        what,
        x_order[1:-1],
    )
    transpose(found, _order_of("N{dims}C", of_y, what))
}
## The characters of `text` that are not in `others`, in order.
fn _letters_apart(text, others) {
    mut found = ""
    for c in text { found = if _text_find(others, c) < 0 { found + c } else { found } }
    found
}
## The index in `from` of each character of `to`. An error if they do not have the same characters.
fn _order_of(from, to, what) {
    let places = (_text_find(from, c) for c in to)
    for p in places {
        if p < 0 or len(from) != len(to) {
            _refuse("the `dimension_numbers` \"{from}\" and \"{to}\" of `{what}` do not name the same axes")
        }
    }
    places
}
## conv(x, w, window_strides, padding, precision=none): the convolution of x f[n, c, ...] with the kernel w
## f[d, c, ...], f[n, d, ...]. It is conv_general_dilated with the default dimension_numbers. x has 1 to 3 spatial axes.
fn conv(x, w, window_strides, padding, precision=none) =
    _conv_general(x, w, window_strides, padding, none, none, none, 1, precision, "conv")
## conv_with_general_padding(x, w, window_strides, padding, lhs_dilation=none, rhs_dilation=none, precision=none): the
## convolution of x with the kernel w, as conv, with dilations. lhs_dilation and rhs_dilation are those of
## conv_general_dilated.
fn conv_with_general_padding(
    x,
    w,
    window_strides,
    padding,
    lhs_dilation=none,
    rhs_dilation=none,
    precision=none,
) = _conv_general(
    x,
    w,
    window_strides,
    padding,
    lhs_dilation,
    rhs_dilation,
    none,
    1,
    precision,
    "conv_with_general_padding",
)

## conv_general_dilated_patches(x, filter_shape, window_strides, padding, lhs_dilation=none, rhs_dilation=none, dimension_numbers=none):
## the windows of x that a convolution multiplies by its kernel. The windows are along the feature axis of the result: feature
## c * k + j is the element j of the window of feature c, where k = prod(filter_shape). The other arguments are those of
## conv_general_dilated. Of dimension_numbers the first and the last are used.
fn conv_general_dilated_patches(
    x,
    filter_shape,
    window_strides,
    padding,
    lhs_dilation=none,
    rhs_dilation=none,
    dimension_numbers=none,
) {
    let what = "conv_general_dilated_patches"
    let x = _of_rank_at_least(x, 3, what, "x with 1 to 3 axes of space and two more")
    let space = x.ndim - 2
    let letters = "DHW"[3 - space:]
    let (of_x, _, of_y) = if dimension_numbers == none {
        ("NC{letters}", "", "NC{letters}")
    } else {
        dimension_numbers
    }
    let dims = _letters_apart(of_x, "NC")
    let per_axis = fn(given, name) =
        windows._per_axis(if given == none { 1 } else { given }, space, "the `{name}` of `{what}`")
    let sizes = per_axis(filter_shape, "filter_shape")
    let steps = per_axis(window_strides, "window_strides")
    let gaps = per_axis(rhs_dilation, "rhs_dilation")
    mut y = transpose(x, _order_of(of_x, "N{dims}C", what))
    for (i, step) in tuple(enumerate(per_axis(lhs_dilation, "lhs_dilation"))) {
        y = windows._spread(y, i + 1, step)
    }
    let spans = (g * (k - 1) + 1 for (g, k) in tuple(zip(gaps, sizes)))
    let around = windows._around(padding, y.shape[1:-1], spans, steps, what)
    let wide = pad(y, ((0, 0),) + around + ((0, 0),))
    let counts = windows._windows(wide.shape, spans, steps, what)
    let parts = (
        windows._each(wide, (p * g for (p, g) in tuple(zip(place, gaps))), counts, steps)
        for place in windows._places(sizes)
    )
    let found = stack(parts, axis=-1).reshape((y.shape[0],) + counts + (-1,))
    transpose(found, _order_of("N{dims}C", of_y, what))
}
## conv_transpose(x, w, strides, padding, rhs_dilation=none, dimension_numbers=none, transpose_kernel=false, precision=none):
## the transposed convolution of x with the kernel w, as jax.lax.conv_transpose. strides - 1 zeros are inserted between
## the elements of x. `padding` "SAME" and "VALID" give the sizes n * stride and (n - 1) * stride + max(k, stride), for
## kernels of size k. dimension_numbers is by default ("NHWC", "HWIO", "NHWC"), with as many spatial axes as x has. With
## transpose_kernel w is flipped along the spatial axes, and its axes of features are exchanged.
fn conv_transpose(
    x,
    w,
    strides,
    padding,
    rhs_dilation=none,
    dimension_numbers=none,
    transpose_kernel=false,
    precision=none,
) {
    let what = "conv_transpose"
    let x = _of_rank_at_least(x, 3, what, "x with 1 to 3 axes of space and two more")
    let w = _of_rank(w, x.ndim, what, "w with as many axes as x")
    let space = x.ndim - 2
    let letters = "DHW"[3 - space:]
    let names = if dimension_numbers == none {
        ("N{letters}C", "{letters}IO", "N{letters}C")
    } else {
        dimension_numbers
    }
    let axes = _order_of(names[1], "{_letters_apart(names[0], "NC")}IO", what)
    let steps = windows._per_axis(strides, space, "the `strides` of `{what}`")
    let gaps = windows._per_axis(
        if rhs_dilation == none { 1 } else { rhs_dilation },
        space,
        "the `rhs_dilation` of `{what}`",
    )
    let around = if kind(padding) == "str" {
        let same = _option(_text_upper(padding), "`padding`", ("SAME", "VALID")) == "SAME"
        (
            _transposed_padding(g * (w.shape[d] - 1) + 1, s, same)
            for (d, s, g) in tuple(zip(axes[:-2], steps, gaps))
        )
    } else {
        padding
    }
    let kernel = if transpose_kernel {
        swapaxes(flip(w, axis=axes[:-2]), axes[-2], axes[-1])
    } else {
        w
    }
    conv_general_dilated(
        x,
        kernel,
        1,
        around,
        lhs_dilation=steps,
        rhs_dilation=gaps,
        dimension_numbers=names,
        precision=precision,
    )
}
## The padding of an axis for a kernel that spans k elements and the stride s.
fn _transposed_padding(k, s, same) {
    let (k, s) = (_known(k), _known(s))
    if not same { return (k - 1, max((k, s)) - 1) }
    let all = k + s - 2
    let before = if s > k - 1 { k - 1 } else { (all + 1) // 2 }
    (before, all - before)
}

## reduce_window(x, init, f, window_dimensions, window_strides=none, padding="VALID", base_dilation=none, window_dilation=none):
## the elements of each window of x and `init` combined by f(a, b). f is associative with `init` as its identity, such
## as add with 0 or maximum with -inf. window_dimensions, window_strides and the dilations have one number for each axis
## of x. Strides and dilations are 1 by default. `padding` is "SAME", "VALID" or a pair (before, after) for each axis.
## Padded elements are `init`. base_dilation - 1 elements `init` are inserted between those of x. window_dilation is the
## distance of adjacent elements of a window.
fn reduce_window(
    x,
    init,
    f,
    window_dimensions,
    window_strides=none,
    padding="VALID",
    base_dilation=none,
    window_dilation=none,
) {
    let rank = array(x).ndim
    let sizes = _per_each(window_dimensions, rank, "size")
    let steps = _per_each(window_strides, rank, "stride")
    let gaps = _per_each(window_dilation, rank, "dilation")
    let start = array(init).astype(array(x).dtype)
    mut y = array(x)
    for (d, step) in tuple(enumerate(_per_each(base_dilation, rank, "base dilation"))) {
        y = _spread_with(y, d, step, start)
    }
    let spans = (g * (k - 1) + 1 for (g, k) in tuple(zip(gaps, sizes)))
    let wide = pad(
        y,
        windows._around(padding, y.shape, spans, steps, "reduce_window"),
        constant_values=start,
    )
    let counts = (
        windows._fitting(n, k, s, d, "reduce_window")
        for (d, (n, k, s)) in tuple(enumerate(zip(wide.shape, spans, steps)))
    )
    let parts = (
        _window_part(wide, (p * g for (p, g) in tuple(zip(place, gaps))), counts, steps)
        for place in windows._places(sizes)
    )
    let begun = full(counts, start, dtype=wide.dtype)
    if len(parts) > 0 and _is_float(wide) and (f == maximum or f == minimum) {
        let found = windows._first_of_extremes(f == maximum)(parts)
        let behind = if f == maximum { found < begun } else { found > begun }
        return where(behind | isnan(begun), begun, found)
    }
    mut found = begun
    for part in parts { found = f(found, part) }
    found
}
fn _window_part(x, first, counts, steps) {
    let last = (a + (n - 1) * s + 1 for (a, n, s) in tuple(zip(first, counts, steps)))
    slice(x, first, last, strides=steps)
}
## The tuple `given`, one number of at least 1 for each axis. If it is none, all are 1.
fn _per_each(given, rank, what) {
    let rank = _known(rank)
    if given == none { return (1,) * rank }
    if kind(given) != "tuple" or len(given) != rank {
        _refuse("`reduce_window` needs a {what} for each of {rank} axes")
    }
    (_count(n, "the {what} of `reduce_window`", least=1) for n in given)
}
## x with step - 1 elements `value` inserted between adjacent elements along axis d.
fn _spread_with(x, d, step, value) {
    let (d, step) = (_known(d), _known(step))
    if step == 1 or x.shape[d] == 0 { return x }
    let n = x.shape[d]
    let more = full(x.shape[:d + 1] + (step - 1,) + x.shape[d + 1:], value, dtype=x.dtype)
    let wide = concatenate((expand_dims(x, d + 1), more), axis=d + 1)
    slice_in_dim(
        wide.reshape(x.shape[:d] + (n * step,) + x.shape[d + 1:]),
        0,
        (n - 1) * step + 1,
        axis=d,
    )
}
