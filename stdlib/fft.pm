# Discrete Fourier transforms with the names, arguments and conventions of numpy.fft. `n` is the size of the transform,
# to which x is cut or padded with zeros along the axis. norm "backward" (or none) divides the inverse transform by n,
# "forward" divides the forward transform by n, "ortho" divides both by sqrt(n). The complex dtype is c128 for f64, c128
# and 64-bit integers, else c64.

fn _norm(norm) = _option(
    if norm == none { "backward" } else { norm },
    "`norm`",
    ("backward", "ortho", "forward"),
)

## The factor of a transform of n points for this norm.
fn _factor(n, norm, inverse) {
    if _norm(norm) == "ortho" { return 1 / sqrt(float(n)) }
    if (_norm(norm) == "forward") == inverse { 1.0 } else { 1.0 / n }
}

## x with the axis moved to the end and cut or padded with zeros to n elements.
fn _sized(x, n, axis) {
    let rows = moveaxis(x, axis, -1)
    let have = rows.shape[-1]
    if n <= have { return rows[..., :n] }
    concatenate((rows, zeros(rows.shape[:-1] + (n - have,), dtype=rows.dtype)), axis=-1)
}
fn _array(x, what) = array(_of_rank_at_least(x, 1, what, "x[..., n]"))
## The size of a transform along an axis of x: n, or if n is none the axis size, or `have` of it.
fn _points(x, n, axis, what, have=none) {
    let size = _length(x, axis)
    if n == none and size == 0 {
        _refuse("`{what}` needs one element at least along axis {_known(axis)}, got {_type(x)}")
    }
    let usual = if have == none { size } else { have(size) }
    _count(if n == none { usual } else { n }, "the size of `{what}`", least=1)
}
fn _mirrored(m) = 2 * (m - 1)

fn _transform(x, n, axis, norm, inverse, what) {
    let x = _array(x, what)
    let n = _points(x, n, axis, what)
    moveaxis(_fft(_sized(x, n, axis), -1, inverse) * _factor(n, norm, inverse), -1, axis)
}

## fft.fft(x, n=none, axis=-1, norm=none): the sums over j of x[j] exp(-2 pi i j k / n), k = 0 to n - 1, c[..., n].
fn fft(x, n=none, axis=-1, norm=none) = _transform(x, n, axis, norm, false, "fft.fft")
## fft.ifft(x, n=none, axis=-1, norm=none): the inverse of fft, c[..., n].
## Element j is the sum over k of x[k] exp(2 pi i j k / n) / n.
fn ifft(x, n=none, axis=-1, norm=none) = _transform(x, n, axis, norm, true, "fft.ifft")

fn _real(x, what) {
    if iscomplexobj(x) {
        _refuse("`{what}` takes real numbers, got {_type(x)}; take fft.fft, or real(x)")
    }
    _array(x, what)
}

## fft.rfft(x, n=none, axis=-1, norm=none): the first n // 2 + 1 elements of fft(x) for real x, c[..., n // 2 + 1].
## The other elements are their conjugates. Complex x is an error.
fn rfft(x, n=none, axis=-1, norm=none) {
    let x = _real(x, "fft.rfft")
    let n = _points(x, n, axis, "fft.rfft")
    let all = _fft(_sized(x, n, axis), -1, false)
    moveaxis(all[..., :n // 2 + 1] * _factor(n, norm, false), -1, axis)
}

## fft.irfft(x, n=none, axis=-1, norm=none): the inverse of rfft, f[..., n].
## If n is none, it is 2 (m - 1) for m elements along the axis. x is cut or padded with zeros to n // 2 + 1 elements.
fn irfft(x, n=none, axis=-1, norm=none) {
    let x = _array(x, "fft.irfft")
    let n = _points(x, n, axis, "fft.irfft", have=_mirrored)
    let half = _sized(x, n // 2 + 1, axis)
    let all = concatenate((half, conj(flip(half[..., 1:(n + 1) // 2], axis=-1))), axis=-1)
    moveaxis(real(_fft(all, -1, true)) * _factor(n, norm, true), -1, axis)
}

## fft.hfft(x, n=none, axis=-1, norm=none): the real transform of a conjugate-symmetric signal, f[..., n].
## x holds the first n // 2 + 1 elements of the signal. If n is none, it is 2 (m - 1) for m elements along the axis.
fn hfft(x, n=none, axis=-1, norm=none) {
    let x = _array(x, "fft.hfft")
    let n = _points(x, n, axis, "fft.hfft", have=_mirrored)
    irfft(conj(x), n=n, axis=axis, norm=_opposite(norm))
}
## fft.ihfft(x, n=none, axis=-1, norm=none): the inverse of hfft for real x, c[..., n // 2 + 1].
## These are the first n // 2 + 1 elements of ifft(x). Complex x is an error.
fn ihfft(x, n=none, axis=-1, norm=none) =
    conj(rfft(_real(x, "fft.ihfft"), n=n, axis=axis, norm=_opposite(norm)))
fn _opposite(norm) = {backward: "forward", forward: "backward", ortho: "ortho"}[_norm(norm)]

# ---- several axes

## (axes, sizes) of a transform along several axes. Sizes that are not given are none. Repeated axes are errors.
fn _plan(x, s, axes, what) {
    let axes = if axes != none {
        _distinct_axes(x, axes, what)
    } else if s != none {
        tuple(x.ndim - len(s)..x.ndim)
    } else {
        tuple(0..x.ndim)
    }
    let sizes = if s == none { (none,) * len(axes) } else { s }
    if len(sizes) != len(axes) {
        _refuse("`{what}` needs a size for each axis, got {s} for {axes}")
    }
    for (axis, n) in zip(axes, sizes) { _points(x, n, axis, what) }
    (axes, sizes)
}
fn _distinct_axes(x, axes, what) {
    mut found = ()
    for one in axes {
        let axis = if _known(one) < 0 { _known(one) + x.ndim } else { _known(one) }
        if axis < 0 or axis >= x.ndim or _among(axis, found) {
            _refuse("`{what}` needs axes of {_type(x)}, each once, got {axes}")
        }
        found = found + (axis,)
    }
    found
}
fn _over(f, x, axes, sizes, norm) {
    mut y = x
    for (axis, n) in zip(axes, sizes) { y = f(y, n=n, axis=axis, norm=norm) }
    y
}

## fft.fftn(x, s=none, axes=none, norm=none): the transform fft along several axes.
## `s` are the sizes, one for each axis. If axes is none, these are all axes, or with `s` the last len(s).
fn fftn(x, s=none, axes=none, norm=none) {
    let x = _array(x, "fft.fftn")
    let (axes, sizes) = _plan(x, s, axes, "fft.fftn")
    _over(fft, x, axes, sizes, norm)
}
## fft.ifftn(x, s=none, axes=none, norm=none): the inverse of fftn, the transform ifft along several axes.
fn ifftn(x, s=none, axes=none, norm=none) {
    let x = _array(x, "fft.ifftn")
    let (axes, sizes) = _plan(x, s, axes, "fft.ifftn")
    _over(ifft, x, axes, sizes, norm)
}
## fft.rfftn(x, s=none, axes=none, norm=none): rfft along the last of `axes`, then fft along the others, for real x.
fn rfftn(x, s=none, axes=none, norm=none) {
    let x = _real(x, "fft.rfftn")
    let (axes, sizes) = _plan(x, s, axes, "fft.rfftn")
    let rows = rfft(x, n=sizes[-1], axis=axes[-1], norm=norm)
    _over(fft, rows, axes[:-1], sizes[:-1], norm)
}
## fft.irfftn(x, s=none, axes=none, norm=none): the inverse of rfftn, real.
## The size along the last of `axes` is 2 (m - 1) if it is not given, for m elements of x.
fn irfftn(x, s=none, axes=none, norm=none) {
    let x = _array(x, "fft.irfftn")
    let (axes, sizes) = _plan(x, s, axes, "fft.irfftn")
    irfft(_over(ifft, x, axes[:-1], sizes[:-1], norm), n=sizes[-1], axis=axes[-1], norm=norm)
}
## fft.fft2(x, s=none, axes=(-2, -1), norm=none): the transform fftn along two axes.
fn fft2(x, s=none, axes=(-2, -1), norm=none) = fftn(x, s=s, axes=axes, norm=norm)
## fft.ifft2(x, s=none, axes=(-2, -1), norm=none): the transform ifftn along two axes.
fn ifft2(x, s=none, axes=(-2, -1), norm=none) = ifftn(x, s=s, axes=axes, norm=norm)
## fft.rfft2(x, s=none, axes=(-2, -1), norm=none): the transform rfftn along two axes.
fn rfft2(x, s=none, axes=(-2, -1), norm=none) = rfftn(x, s=s, axes=axes, norm=norm)
## fft.irfft2(x, s=none, axes=(-2, -1), norm=none): the transform irfftn along two axes.
fn irfft2(x, s=none, axes=(-2, -1), norm=none) = irfftn(x, s=s, axes=axes, norm=norm)

# ---- frequencies

## fft.fftfreq(n, d=1.0, dtype=f32): the frequencies of the elements of fft for sample spacing d, dtype[n].
## They are 0, 1, ..., followed by the negative ones up to -1, all divided by n d.
fn fftfreq(n, d=1.0, dtype=f32) {
    let n = _count(n, "the size of `fft.fftfreq`", least=1)
    let k = arange(n)
    (where(k < (n + 1) // 2, k, k - n).astype(dtype) / (n * d)).astype(dtype)
}
## fft.rfftfreq(n, d=1.0, dtype=f32): the frequencies of the elements of rfft for sample spacing d, dtype[n // 2 + 1].
## They are 0, 1, ..., n // 2, divided by n d.
fn rfftfreq(n, d=1.0, dtype=f32) {
    let n = _count(n, "the size of `fft.rfftfreq`", least=1)
    (arange(n // 2 + 1).astype(dtype) / (n * d)).astype(dtype)
}
fn _turned(x, axes, by) {
    let x = array(x)
    mut y = x
    for axis in _axes(axes, x.ndim) { y = roll(y, by(x.shape[axis]), axis=axis) }
    y
}
## fft.fftshift(x, axes=none): x rolled along `axes` so that frequency 0 is in the middle, at index n // 2.
## If axes is none, x is rolled along all axes.
fn fftshift(x, axes=none) = _turned(x, axes, fn(n) = n // 2)
## fft.ifftshift(x, axes=none): the inverse of fftshift.
fn ifftshift(x, axes=none) = _turned(x, axes, fn(n) = -(n // 2))

test "a transform and its inverse, for sizes of every kind" {
    for n in (1, 2, 3, 5, 8, 12, 13, 64, 100, 127, 128, 134, 360) {
        let z = random.normal(random.key(n), (2, n), dtype=c128)
        let j = f64(arange(n))
        let matrix = exp(-2j * pi / n * (j[:, none] * j % n))
        let f = fft(z)
        assert(allclose(f, z @ matrix, rtol=1e-12, atol=1e-12), "{n}")
        assert(allclose(ifft(f), z, rtol=1e-13, atol=1e-13), "{n}")
        let half = rfft(real(z))
        assert(allclose(half, fft(real(z))[:, :n // 2 + 1], atol=1e-12), "{n}")
        assert(allclose(irfft(half, n=n), real(z), atol=1e-12), "{n}")
    }
}

test "norms, axes and sizes" {
    let z = random.normal(random.key(0), (4, 6), dtype=c64)
    assert(allclose(ifft(fft(z, norm="ortho"), norm="ortho"), z, atol=1e-6))
    assert(allclose(ifft(fft(z, norm="forward"), norm="forward"), z, atol=1e-6))
    assert(allclose(fft(z, norm="forward") * 6, fft(z), atol=1e-5))
    assert(allclose(fft(z, axis=0), fft(z.T).T, atol=1e-6))
    assert(allclose(fft(z, n=4), fft(z[:, :4]), atol=1e-6))
    assert(allclose(fft(z, n=8), fft(pad(z, ((0, 0), (0, 2)))), atol=1e-6))
    assert(allclose(fft2(z), fft(fft(z, axis=0), axis=1), atol=1e-5))
    assert(allclose(ifftn(fftn(z)), z, atol=1e-6))
    assert(allclose(vmap(fft2)([z, 2 * z]), [fft2(z), 2 * fft2(z)], atol=1e-5))
    assert(vmap(fn(x) = irfft2(rfft2(x, axes=(0, 1)), s=(4, 4)))(real([z, z])).shape == (2, 4, 4))
    assert(
        allclose(
            grad(fn(x) = sum(real(fft2(x))))(real(z))[0, 1:],
            zeros(z.shape[1] - 1),
            atol=1e-5,
        ),
    )
    assert(allclose(irfft2(rfft2(real(z))), real(z), atol=1e-6))
    assert(rfft2(real(z), s=(8, 5)).shape == (8, 3) and fftn(z, s=(3,)).shape == (4, 3))
    assert(allclose(hfft(ihfft(real(z))), real(z), atol=1e-6))
    assert(fft(ones(4, dtype=f64)).dtype == c128 and fft(arange(4)).dtype == c64)
}

test "frequencies and shifts" {
    assert(all(fftfreq(4, d=0.5) == [0.0, 0.5, -1.0, -0.5]))
    assert(all(rfftfreq(5) == [0.0, 0.2, 0.4]))
    assert(all(fftshift(arange(5)) == [3, 4, 0, 1, 2]))
    let x = arange(6).reshape(2, 3)
    assert(all(ifftshift(fftshift(x)) == x) and all(fftshift(x, axes=1)[0] == [2, 0, 1]))
}

test "derivatives and batches" {
    let x = random.normal(random.key(1), (3, 10))
    let energy = fn(v) = sum(abs(fft(v)) ** 2)
    # Parseval's theorem: the energy of the spectrum is n times that of the signal.
    assert(allclose(grad(energy)(x[0]), 20 * x[0], rtol=1e-4, atol=1e-4))
    assert(allclose(vmap(rfft)(x), rfft(x), atol=1e-6))
    let z = complex(x[0], x[1])
    assert(allclose(jvp(fft, (z,), (z,))[1], fft(z), atol=1e-5))
    assert(allclose(jacfwd(fft, holomorphic=true)(z) @ z, fft(z), atol=1e-4))
    assert(allclose(grad(fn(v) = irfft(v, n=10)[3])(rfft(x[0])).shape[0], 6))
}
