# Inner module of nn: convolution and pooling, that is sums, maxima and means over windows of f[n, ..., c].
# Arrays have 1 to 3 spatial axes between the batch axis and the feature axis. The module nn has these functions under
# the same names. Tests: tests/library/windows.pm.

## A tuple of one integer for each spatial axis, from one integer or such a tuple.
fn _per_axis(value, axes, what, least=1) {
    if kind(value) != "tuple" { return (_count(value, what, least=least),) * _known(axes) }
    if len(value) != _known(axes) {
        _refuse("{what} must be a number or a tuple of {axes}, one for each axis of space, got {value}")
    }
    (_count(v, what, least=least) for v in value)
}

## The number of spatial axes of x f[n, ..., c], 1 to 3.
fn _space(x, what) {
    if not _is_numeric(x) or array(x).ndim < 3 or array(x).ndim > 5 {
        _refuse("`{what}` needs x f[n, w, c], f[n, h, w, c] or f[n, d, h, w, c], got {_type(x)}")
    }
    array(x).ndim - 2
}

## The padding of each spatial axis, a tuple of pairs (before, after), for windows of these spans at these strides.
fn _around(padding, sizes, spans, strides, what) {
    if kind(padding) == "tuple" and len(padding) == len(sizes) and kind(padding[0]) == "tuple" {
        return (
            (_count(a, "a `padding` of `{what}`"), _count(b, "a `padding` of `{what}`"))
            for (a, b) in padding
        )
    }
    if kind(padding) != "str" {
        return (
            (p, p)
            for p in _per_axis(padding, len(sizes), "the `padding` of `{what}`", least=0)
        )
    }
    let chosen = _option(_text_upper(padding), "`padding`", ("SAME", "VALID"))
    if chosen == "VALID" { return ((0, 0),) * len(sizes) }
    (_even(n, k, s) for (n, k, s) in tuple(zip(sizes, spans, strides)))
}
## The "SAME" padding of an axis of size n: it gives ceil(n / s) windows; an odd zero is added after the axis.
fn _even(n, k, s) {
    let (n, k, s) = (_known(n), _known(k), _known(s))
    let missing = ((n + s - 1) // s - 1) * s + k - n
    if missing > 0 { (missing // 2, missing - missing // 2) } else { (0, 0) }
}

## The number of windows along each spatial axis. A window larger than the axis is an error.
fn _windows(shape, spans, strides, what, names=(1, 2, 3)) =
    (_fitting(shape[i + 1], spans[i], strides[i], names[i], what) for i in tuple(0..len(spans)))
fn _fitting(size, span, stride, axis, what) {
    let (size, span, stride) = (_known(size), _known(span), _known(stride))
    if size < span {
        _refuse("`{what}`: a window of {span} does not fit into axis {axis} of size {size}")
    }
    (size - span) // stride + 1
}

## The element at the offset `at` of every window, for `counts` windows along each spatial axis at these strides.
fn _each(x, at, counts, strides) {
    let last = (a + (n - 1) * s + 1 for (a, n, s) in tuple(zip(at, counts, strides)))
    if x.ndim == 3 { return x[:, at[0]:last[0]:strides[0], :] }
    if x.ndim == 4 { return x[:, at[0]:last[0]:strides[0], at[1]:last[1]:strides[1], :] }
    x[:, at[0]:last[0]:strides[0], at[1]:last[1]:strides[1], at[2]:last[2]:strides[2], :]
}

## All offsets in a window of these sizes, the last axis fastest.
fn _places(sizes) {
    mut all = ((),)
    for n in sizes { all = _product(all, n) }
    all
}
fn _product(all, n) {
    mut more = ()
    for place in all { more += (place + (i,) for i in tuple(0..n)) }
    more
}

## nn.conv(x, w, strides=1, padding="SAME", dilation=1, groups=1, precision=none): The convolution of x f[n, ..., c]
## with a kernel w f[k..., c / groups, d] -> f[n, ..., d]. It has 1 to 3 spatial axes and does not flip the kernel, as
## JAX's lax.conv. `strides` and `dilation` (the distance of a window's elements) are an integer, or one for each axis.
## `padding` is "SAME" (ceil(size / stride) windows), "VALID" (no padding), or an integer for both ends.
## It may also be a tuple of integers, or of pairs (before, after), one for each axis.
## The features are cut into `groups` equal groups, each convolved separately. `precision` is that of matmul.
## conv(p, x, ...) with the record p of nn.conv_init is conv(x, p.w, ...) + p.b; without a field b it adds nothing.
fn conv(x, w, strides=1, padding="SAME", dilation=1, groups=1, precision=none) {
    let (p, x, w) = _layer(x, w, "nn.conv")
    _biased(p, _conv(x, w, strides, padding, dilation, groups, precision, "windows.conv"))
}
## (p, x, w) for the arguments (p, x) of a layer, and ({}, x, w) for (x, w).
fn _layer(x, w, what) {
    if kind(x) != "record" { return ({}, x, w) }
    if not ("w" in x) {
        _refuse("`{what}` needs the parameters that nn.conv_init makes, a record of w and b, got {_type(x)}")
    }
    (x, w, x.w)
}
fn _biased(p, y) = if "b" in p { y + p.b } else { y }
fn _conv(x, w, strides, padding, dilation, groups, precision, what) {
    let axes = _space(x, what)
    let form = "a kernel f[k..., c / groups, d] for x f[n, ..., c]"
    if not _is_numeric(w) { _refuse("`{what}` needs {form}, got {_type(w)}") }
    if w.ndim == x.ndim + 1 {
        _refuse(
            "`{what}` needs x f[n, ..., c] with an axis for the batch in front and one for the features at the end, got x {_type(x)} for a kernel {_type(w)}; x[none] adds a batch of one",
        )
    }
    let groups = _count(groups, "the `groups` of `{what}`", least=1)
    if w.ndim != x.ndim or w.shape[-2] * groups != x.shape[-1] or w.shape[-1] % groups != 0 {
        _refuse(
            "`{what}` needs {form}, d a multiple of groups; got {_type(w)} for x {_type(x)}, groups {groups}",
        )
    }
    let steps = _per_axis(strides, axes, "the `strides` of `{what}`")
    let gaps = _per_axis(dilation, axes, "the `dilation` of `{what}`")
    _summed(x, w, steps, padding, gaps, groups, precision, what, (1, 2, 3))
}
## The sums over windows, with a stride and a dilation for each spatial axis. `names` are axis indices for messages.
fn _summed(x, w, steps, padding, gaps, groups, precision, what, names) {
    let groups = _known(groups)
    let (sizes, d) = (w.shape[:-2], w.shape[-1])
    let spans = (g * (k - 1) + 1 for (g, k) in tuple(zip(gaps, sizes)))
    let around = _around(padding, x.shape[1:-1], spans, steps, what)
    let widths = (n + a + b for (n, (a, b)) in tuple(zip(x.shape[1:-1], around)))
    let counts = _windows((x.shape[0],) + widths, spans, steps, what, names=names)
    let dtype = result_type(x, w)
    if x.size > 0 and _has_convolutions(dtype, precision, x.size // x.shape[-1] * w.size) {
        return _convolved(x, w, steps, around, gaps, groups, precision)
    }
    let wide = pad(x, ((0, 0),) + around + ((0, 0),))
    let places = _places(sizes)
    let kernels = w.reshape((len(places), w.shape[-2], d))
    mut y = zeros((x.shape[0],) + counts + (d,), dtype=dtype)
    for (i, place) in tuple(enumerate(places)) {
        let part = _each(wide, (p * g for (p, g) in tuple(zip(place, gaps))), counts, steps)
        y =
            y + (if groups == 1 {
                matmul(part, kernels[i], precision=precision)
            } else {
                _grouped(part, kernels[i], groups, precision)
            })
    }
    y
}
## The sums by one operation, which a device's library computes. Equal padding at both ends of an axis copies nothing.
fn _convolved(x, w, steps, around, gaps, groups, precision) {
    let even = (if a < b { a } else { b } for (a, b) in around)
    let odd = ((a - e, b - e) for ((a, b), e) in tuple(zip(around, even)))
    _library_convolution(
        pad(x, ((0, 0),) + odd + ((0, 0),)),
        w,
        steps,
        even,
        gaps,
        groups,
        precision=precision,
    )
}
fn _grouped(x, w, groups, precision) {
    let (lead, g, c, d) = (x.shape[:-1], _known(groups), w.shape[0], w.shape[1])
    einsum(
        "...gc,cgd->...gd",
        x.reshape(lead + (g, c)),
        w.reshape((c, g, d // g)),
        precision=precision,
    ).reshape(lead + (d,))
}

## nn.conv2d(x, w, strides=1, padding="SAME", dilation=1, groups=1, precision=none): The convolution of images
## f[n, h, w, c] with a kernel f[kh, kw, c / groups, d] -> f[n, h', w', d]. The arguments are those of conv.
fn conv2d(x, w, strides=1, padding="SAME", dilation=1, groups=1, precision=none) {
    let (p, x, w) = _layer(x, w, "nn.conv2d")
    let batch =
        if _is_numeric(x) and array(x).ndim == 3 { " (x[none] is a batch of one)" } else { "" }
    let x = _of_rank(x, 4, "windows.conv2d", "pictures f[n, h, w, c]{batch}")
    _biased(p, _conv(x, w, strides, padding, dilation, groups, precision, "windows.conv2d"))
}

## nn.conv_transpose(x, w, strides=1, padding="SAME", precision=none): The transposed convolution of x f[n, ..., c] with
## a kernel w f[k..., c, d] -> f[n, ..., d]. It is conv with stride 1 of x with strides - 1 zeros between its elements,
## as lax.conv_transpose. The sizes become size * stride for "SAME" padding, (size - 1) * stride + max(k, stride) for
## "VALID". conv_transpose(p, x, ...) takes a record of w and b, as conv.
fn conv_transpose(x, w, strides=1, padding="SAME", precision=none) {
    let (p, x, w) = _layer(x, w, "nn.conv_transpose")
    let axes = _space(x, "windows.conv_transpose")
    let steps = _per_axis(strides, axes, "the `strides` of `windows.conv_transpose`")
    let chosen = _option(_text_upper(padding), "`padding`", ("SAME", "VALID"))
    let around = (_behind(k, s, chosen) for (k, s) in tuple(zip(w.shape[:-2], steps)))
    if _takes_transposed(x, w, precision) {
        return _biased(p, _transposed(x, w, steps, around, precision))
    }
    mut y = x
    for (i, s) in tuple(enumerate(steps)) { y = _spread(y, i + 1, s) }
    _biased(p, _conv(y, w, 1, around, 1, 1, precision, "windows.conv_transpose"))
}
fn _takes_transposed(x, w, precision) =
    _is_numeric(w) and
    w.ndim == x.ndim and
    w.shape[-2] == x.shape[-1] and
    x.size > 0 and
    _has_convolutions(result_type(x, w), precision, x.size // x.shape[-1] * w.size)
## The same sums by one operation, which a device's library computes: each element of x adds the flipped kernel to the
## elements that follow its position. The result is cut or padded to the sizes that `around` gives.
fn _transposed(x, w, steps, around, precision) {
    let axes = len(steps)
    let turned = swapaxes(flip(w, tuple(0..axes)), -1, -2)
    mut y = _library_convolution(
        x,
        turned,
        steps,
        (0,) * axes,
        (1,) * axes,
        1,
        transposed=true,
        precision=precision,
    )
    for (i, ((a, b), k)) in tuple(enumerate(tuple(zip(around, w.shape[:axes])))) {
        let (n, behind) = (y.shape[i + 1], _known(b) - (_known(k) - 1))
        y = slice_in_dim(y, k - 1 - a, if behind < 0 { n + behind } else { n }, axis=i + 1)
        if behind > 0 {
            y = pad(y, (if d == i + 1 { (0, behind) } else { (0, 0) } for d in tuple(0..y.ndim)))
        }
    }
    y
}
fn _behind(k, s, padding) {
    let (k, s) = (_known(k), _known(s))
    let more = if padding == "VALID" and k > s { k - s } else { 0 }
    let all = k + s - 2 + more
    let first = if padding == "VALID" or s > k - 1 { k - 1 } else { (all + 1) // 2 }
    (first, all - first)
}
## x with s - 1 zeros between adjacent elements along an axis.
fn _spread(x, axis, s) {
    let (axis, s) = (_known(axis), _known(s))
    if s == 1 { return x }
    let n = x.shape[axis]
    let wide = pad(
        expand_dims(x, axis + 1),
        (if d == axis + 1 { (0, s - 1) } else { (0, 0) } for d in tuple(0..x.ndim + 1)),
    )
    slice_in_dim(
        wide.reshape(x.shape[:axis] + (n * s,) + x.shape[axis + 1:]),
        0,
        (n - 1) * s + 1,
        axis=axis,
    )
}

## nn.max_pool(x, window=2, strides=none, padding="VALID"): The maxima over windows of x f[n, ..., c] -> f[n, ..., c].
## There are 1 to 3 spatial axes. `window` and `strides` are an integer, or one for each axis; without `strides` they
## are those of the window. `padding` is that of conv, with elements that are never a maximum. The derivative is
## that of the first maximum of a window, as in JAX.
fn max_pool(x, window=2, strides=none, padding="VALID") {
    let low = if _is_float(x) { -inf } else { iinfo(x.dtype).min }
    let parts = _pool(x, window, strides, padding, low, "windows.max_pool")
    _first_of_extremes(true)(parts)
}
## The elementwise maximum (or minimum) of several arrays, with the derivative of the first of equal elements.
## As in select_and_gather of XLA, the derivative skips a NaN if another array follows.
fn _first_of_extremes(greatest) = custom_jvp(
    fn(parts) {
        mut y = parts[0]
        for x in parts[1:] { y = if greatest { maximum(y, x) } else { minimum(y, x) } }
        y
    },
    fn((parts,), (tangents,)) {
        mut (chosen, change) = (parts[0], tangents[0])
        for (x, d) in tuple(zip(parts, tangents))[1:] {
            let stays = if greatest { chosen >= x } else { chosen <= x }
            chosen = where(stays, chosen, x)
            change = where(stays, change, d)
        }
        (_first_of_extremes(greatest)(parts), change)
    },
)
## nn.avg_pool(x, window=2, strides=none, padding="VALID"): The means over windows of x f[n, ..., c] -> f[n, ..., c].
## The arguments are those of max_pool. Padding counts as zeros, so the divisor is always the size of the window.
fn avg_pool(x, window=2, strides=none, padding="VALID") {
    let parts = _pool(_inexact(x), window, strides, padding, 0, "windows.avg_pool")
    mut y = parts[0]
    for x in parts[1:] { y = y + x }
    y / len(parts)
}
## For each offset in a window, the elements at this offset of all windows.
fn _pool(x, window, strides, padding, outside, what) {
    let axes = _space(x, what)
    let sizes = _per_axis(window, axes, "the `window` of `{what}`")
    let steps =
        if strides == none { sizes } else { _per_axis(strides, axes, "the `strides` of `{what}`") }
    let around = _around(padding, x.shape[1:-1], sizes, steps, what)
    let wide = pad(x, ((0, 0),) + around + ((0, 0),), constant_values=outside)
    let counts = _windows(wide.shape, sizes, steps, what)
    (_each(wide, place, counts, steps) for place in _places(sizes))
}

test "a convolution takes its parameters first, as other layers" {
    let p = {w: ones((3, 2, 5)), b: arange(5.0)}
    let x = sin(arange(14.0)).reshape(1, 7, 2)
    assert(array_equal(conv(p, x, strides=2), conv(x, p.w, strides=2) + p.b))
    assert(array_equal(conv({w: p.w}, x), conv(x, p.w)))
    assert(array_equal(conv_transpose(p, x, strides=2), conv_transpose(x, p.w, strides=2) + p.b))
    let q = {w: ones((1, 3, 2, 5)), b: p.b}
    assert(array_equal(conv2d(q, x[none]), conv2d(x[none], q.w) + q.b))
}
