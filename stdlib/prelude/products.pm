# Global functions of linear algebra and signals that need no module, and names of jax.lax.

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
    let (x, y) = _longer_first(a, v, "convolve")
    _convolution(x, y, mode, "convolve")
}
## correlate(a, v, mode="valid"): the sum over j of a[i + j] v[j], by modes as convolve.
fn correlate(a, v, mode="valid") {
    let (x, y) = _longer_first(a, v, "correlate")
    let found = _convolution(x, flip(y), mode, "correlate")
    # exchanging the two turns the result round
    if array(a).size >= array(v).size {
        found
    } else {
        flip(found)
    }
}
fn _longer_first(a, v, what) {
    let (x, y) = (_vector(a, what), _vector(v, what))
    if len(x) >= len(y) { (x, y) } else { (y, x) }
}
## The sum over j of x[i - j] w[j]: "full" f[n + m - 1], "same" f[n], its middle, "valid" f[|n - m| + 1].
fn _convolution(x, w, mode, what) {
    let mode = _option(mode, "`mode`", ("full", "same", "valid"))
    if x.size == 0 or w.size == 0 {
        _refuse("`{what}` needs vectors with one element at least, got {_type(x)} and {_type(w)}")
    }
    let (n, m) = (len(x), len(w))
    let whole = if n >= m { _full_convolution(x, w) } else { _full_convolution(w, x) }
    if mode == "full" { return whole }
    if mode == "same" { return whole[(m - 1) // 2:(m - 1) // 2 + n] }
    if n >= m { whole[m - 1:n] } else { whole[n - 1:m] }
}
## x f[n] and w f[m], m no greater than n -> f[n + m - 1].
fn _full_convolution(x, w) {
    let (n, m) = (len(x), len(w))
    pad(x, (m - 1, m - 1))[arange(n + m - 1)[:, none] + arange(m)[none, :]] @ flip(w)
}

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
## slice(x, start_indices, limit_indices, strides=none): x[start:limit:stride] along every axis, a number for each.
fn slice(x, start_indices, limit_indices, strides=none) {
    if len(start_indices) != x.ndim or len(limit_indices) != x.ndim {
        _refuse("`slice` needs a start and a limit for each of {x.ndim} axes, got {len(start_indices)} and {len(limit_indices)}")
    }
    mut y = x
    for i in tuple(0..x.ndim) {
        let step = if strides == none { 1 } else { strides[i] }
        y = slice_in_dim(y, start_indices[i], limit_indices[i], stride=step, axis=i)
    }
    y
}
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
