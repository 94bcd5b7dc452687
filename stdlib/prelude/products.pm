# Global functions of linear algebra and signals that need no module.

# ---- products

## outer(a, b): a[i] * b[j], f[n], f[m] -> f[n, m].
fn outer(a, b) = ravel(a)[:, none] * ravel(b)[none, :]

## vecdot(a, b, axis=-1): the sum of conj(a) * b over one axis, exact to the rounding of its type on every device.
fn vecdot(a, b, axis=-1) = sum(conj(a) * b, axis=axis)
## matvec(a, x, precision=none): a f[..., n, m] times x f[..., m] -> f[..., n]; precision is that of matmul.
fn matvec(a, x, precision=none) = matmul(a, x[..., none], precision=precision)[..., 0]
## vecmat(x, a, precision=none): conj(x) f[..., n] times a f[..., n, m] -> f[..., m]; precision is that of matmul.
fn vecmat(x, a, precision=none) = matmul(conj(x)[..., none, :], a, precision=precision)[..., 0, :]

## kron(a, b): the Kronecker product: every element of a times b, in a's order; of arrays of any number of axes.
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

## cross(a, b, axis=-1): the vector product along an axis of size 3, or of 2 in one or both: vectors of the plane, whose product is its third component alone.
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

## convolve(a, v, mode="full", precision=none): the discrete convolution of vectors f[n] and f[m] -> f[n + m - 1]; "same": of the longer one's size;
## "valid": where they lie within each other, f[|n - m| + 1].
fn convolve(a, v, mode="full", precision=none) {
    let (x, y) = _longer_first(a, v, "convolve")
    _convolution(x, y, mode, precision, "convolve")
}
## correlate(a, v, mode="valid", precision=none): the sum over j of a[i + j] v[j], by modes as convolve.
fn correlate(a, v, mode="valid", precision=none) {
    let (x, y) = _longer_first(a, conj(array(v)), "correlate")
    let found = _convolution(x, flip(y), mode, precision, "correlate")
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
## x f[n] and w f[m], m no greater than n -> f[n + m - 1]. A long w is cut into rows of about sqrt(m): their products with all pieces of x of that
## length are one matrix product, of n sqrt(m) elements, and each row's are added up further on by its place. No transform: sums of integers stay exact,
## small elements keep their digits beside large ones, and a nan of x stays where it is (one of w spreads over its row).
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
    # rows of p + r blocks, read as rows of one block less: each begins a block later
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
