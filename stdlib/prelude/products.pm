# Global functions of linear algebra and signal processing that need no module.

# ---- products

## outer(a, b): the outer product a[i] * b[j] of the flattened arrays, f[n], f[m] -> f[n, m].
fn outer(a, b) = ravel(a)[:, none] * ravel(b)[none, :]

## vecdot(a, b, axis=-1): the sum of conj(a) * b along `axis`.
## It is not computed by matmul: on every device its precision is that of the dtype.
fn vecdot(a, b, axis=-1) = sum(conj(a) * b, axis=axis)
## matvec(a, x, precision=none): the product of matrices a f[..., n, m] and vectors x f[..., m], f[..., n].
## `precision` is that of matmul.
fn matvec(a, x, precision=none) = matmul(a, x[..., none], precision=precision)[..., 0]
## vecmat(x, a, precision=none): the product of vectors conj(x) f[..., n] and matrices a f[..., n, m], f[..., m].
## `precision` is that of matmul.
fn vecmat(x, a, precision=none) = matmul(conj(x)[..., none, :], a, precision=precision)[..., 0, :]

## kron(a, b): the Kronecker product: a with each element replaced by its product with b.
## The arrays may have any numbers of axes. The shape of the one with fewer axes gets leading ones. The sizes along each
## axis are multiplied.
fn kron(a, b) {
    let (x, y) = (array(a), array(b))
    let rank = if x.ndim > y.ndim { x.ndim } else { y.ndim }
    mut (p, q, out) = (
        x.reshape((1,) * (rank - x.ndim) + x.shape),
        y.reshape((1,) * (rank - y.ndim) + y.shape),
        (),
    )
    for d in tuple(0..rank) {
        out += (p.shape[2 * d] * q.shape[2 * d],)
        (p, q) = (expand_dims(p, 2 * d + 1), expand_dims(q, 2 * d))
    }
    (p * q).reshape(out)
}

## cross(a, b, axis=-1): the cross product of vectors along `axis`.
## The vectors have 2 or 3 components, and a missing third component is 0. Of two vectors of 2 components the result is
## the third component of the product, without the axis. Other sizes are an error.
fn cross(a, b, axis=-1) {
    let (x, y) = (moveaxis(a, axis, 0), moveaxis(b, axis, 0))
    let (n, m) = (len(x), len(y))
    if n < 2 or n > 3 or m < 2 or m > 3 {
        _refuse("`cross` needs vectors of 2 or 3 components, got {n} and {m}")
    }
    let third = x[0] * y[1] - x[1] * y[0]
    if n == 2 and m == 2 { return third }
    let (u, v) = (if n == 3 { x[2] } else { 0 }, if m == 3 { y[2] } else { 0 })
    moveaxis(stack((x[1] * v - u * y[1], u * y[0] - x[0] * v, third)), 0, axis)
}

## convolve(a, v, mode="full", precision=none): the discrete convolution of vectors f[n] and f[m], f[n + m - 1] with
## mode="full". "same" gives the central part, with the size of the longer vector. "valid" gives the sums without
## padding, f[|n - m| + 1]. `precision` is that of matmul. An empty vector is an error.
fn convolve(a, v, mode="full", precision=none) {
    let (x, y) = _longer_first(a, v, "convolve")
    _convolution(x, y, mode, precision, "convolve")
}
## correlate(a, v, mode="valid", precision=none): the sums over j of a[i + j] conj(v[j]) for vectors a and v.
## The modes, sizes and errors are those of convolve.
fn correlate(a, v, mode="valid", precision=none) {
    let (x, y) = _longer_first(a, conj(array(v)), "correlate")
    let found = _convolution(x, flip(y), mode, precision, "correlate")
    # Swapping the two arguments reverses the result.
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
## The sums over j of x[i - j] w[j] for x f[n] and w f[m]. "full" is f[n + m - 1], "same" its central part f[n], "valid"
## f[|n - m| + 1].
fn _convolution(x, w, mode, precision, what) {
    let mode = _option(mode, "`mode`", ("full", "same", "valid"))
    if x.size == 0 or w.size == 0 {
        _refuse("`{what}` needs vectors with one element at least, got {_type(x)} and {_type(w)}")
    }
    let (n, m) = (len(x), len(w))
    let whole = if n >= m {
        _full_convolution(x, w, precision)
    } else {
        _full_convolution(w, x, precision)
    }
    if mode == "full" { return whole }
    if mode == "same" { return whole[(m - 1) // 2:(m - 1) // 2 + n] }
    if n >= m { whole[m - 1:n] } else { whole[n - 1:m] }
}
## The full convolution of x f[n] and w f[m] with m <= n, f[n + m - 1]. A long w is cut into rows of about sqrt(m)
## elements. One matrix product with n sqrt(m) results multiplies all rows by all windows of x of that length. The
## results of each row are then shifted by the offset of the row and summed. There is no Fourier transform: sums of
## integers are exact, and small elements keep their digits next to large ones. A NaN of x reaches only the results that
## depend on it. A NaN of w spreads to all results of its row.
fn _full_convolution(x, w, precision) {
    let (n, m) = (len(x), len(w))
    if m <= 16 { return _short_convolution(x, w, precision) }
    let b = max((8, 2 ** int(round(log2(float(m)) / 2))))
    let (p, r) = ((n + b - 2) // b + 1, m // b)
    let places = b - 1 + b * arange(p)[:, none, none] + arange(b)[:, none] - arange(b)
    let products = matmul(
        pad(x, (b - 1, p * b - n))[places],
        w[:r * b].reshape(r, b).T,
        precision=precision,
    )
    # Each row is padded to p + r blocks. Read as rows of p + r - 1 blocks, row i is shifted by i blocks.
    let rows = pad(moveaxis(products, 2, 0), ((0, 0), (0, r), (0, 0))).reshape(-1, b)
    let later = rows[:r * (p + r - 1)].reshape(r, p + r - 1, b)
    let whole = sum(later, axis=0, dtype=products.dtype).reshape(-1)[:n + r * b - 1]
    let rest = m - r * b
    if rest == 0 { return whole }
    pad(whole, (0, rest)) + pad(_short_convolution(x, w[r * b:], precision), (r * b, 0))
}
fn _short_convolution(x, w, precision) {
    let (n, m) = (len(x), len(w))
    matmul(
        pad(x, (m - 1, m - 1))[arange(n + m - 1)[:, none] + arange(m)[none, :]],
        flip(w),
        precision=precision,
    )
}
