# Signal processing along an axis of f[..., n], by default the last: convolution, windows, filters, smoothing, peaks and
# waveforms. Names and conventions follow scipy.signal. Results have the floating dtype of x. Functions that use the
# Fourier transform are in spectra.pm. Tests: tests/library/signal.pm, and tests/oracle/module_values.pm against SciPy.

# ---- convolution

fn _filled(x, what) {
    let x = _inexact(_vector(x, what))
    if len(x) == 0 { _refuse("`{what}` needs one element at least, got {_type(x)}") }
    x
}

## signal.convolve(x, h, mode="full", precision=none): the discrete convolution of x f[n] and h f[m], f[n + m - 1].
## Element i is the sum over j of x[i - j] h[j]. mode "same" gives the central n elements, f[n].
## mode "valid" gives only complete overlaps, f[|n - m| + 1]. `precision` is that of matmul. Empty vectors are errors.
fn convolve(x, h, mode="full", precision=none) = _convolution(
    _filled(x, "signal.convolve"),
    _filled(h, "signal.convolve"),
    mode,
    precision,
    "signal.convolve",
)
## signal.correlate(x, h, mode="full", precision=none): the cross-correlation of x f[n] and h f[m], f[n + m - 1].
## It is convolve(x, flip(h)): the sums over j of x[i + j] h[j], with i from 1 - m to n - 1. `mode` is as for convolve.
fn correlate(x, h, mode="full", precision=none) =
    convolve(x, flip(_filled(h, "signal.correlate")), mode=mode, precision=precision)

## signal.correlate2d(x, h, mode="full", precision=none): the cross-correlation of two matrices.
## The shapes are x f[n, m], h f[p, q] -> f[n + p - 1, m + q - 1]. The elements are the sums over j and k of
## x[a + j, b + k] h[j, k]. mode "same" gives f[n, m]. mode "valid" gives f[n - p + 1, m - q + 1] and needs h no larger
## than x. `precision` is that of matmul. Empty matrices are errors.
fn correlate2d(x, h, mode="full", precision=none) =
    _over_two(x, h, mode, precision, "signal.correlate2d")
## signal.convolve2d(x, h, mode="full", precision=none): the convolution of two matrices, correlate2d(x, flip(h)).
## It differs from this in mode "same" with an even size of h: there the extra row or column of padding is before x.
fn convolve2d(x, h, mode="full", precision=none) =
    _over_two(x, h, mode, precision, "signal.convolve2d")
fn _over_two(x, h, mode, precision, what) {
    let mode = _option(mode, "`mode`", ("full", "same", "valid"))
    let x = _inexact(_of_rank(x, 2, what, "a matrix f[n, m]"))
    let h = _inexact(_of_rank(h, 2, what, "a matrix f[n, m]"))
    if x.size == 0 or h.size == 0 {
        _refuse("`{what}` needs one element at least, got {_type(x)} and {_type(h)}")
    }
    let (k, l) = h.shape
    let turned = what == "signal.convolve2d"
    # As in SciPy, for mode "same" and an even size of h the extra padding is before x (convolve2d)
    # or after x (correlate2d).
    let around = if mode == "full" {
        ((k - 1, k - 1), (l - 1, l - 1))
    } else if mode == "valid" {
        "VALID"
    } else if turned {
        ((k // 2, (k - 1) // 2), (l // 2, (l - 1) // 2))
    } else {
        (((k - 1) // 2, k // 2), ((l - 1) // 2, l // 2))
    }
    let kernel = if turned { flip(h) } else { h }
    windows.conv(
        x[none, :, :, none],
        kernel[:, :, none, none],
        padding=around,
        precision=precision,
    )[0, :, :, 0]
}

# ---- windows of n elements, dtype[n]. sym=true: symmetric, for filter design. sym=false: periodic, for spectral
# analysis (the first n elements of the symmetric window of n + 1).

## The angles t of a window, f64[n]: from 0 to 2 pi, both included for sym=true, 2 pi excluded for sym=false.
fn _angles(n, sym) {
    let n = _count(n, "the size of a window")
    let m = if sym { n - 1 } else { n }
    f64(arange(n)) * (2 * pi / (if m < 1 { 1 } else { m }))
}
fn _one(n, w, dtype) = if _known(n) == 1 { ones(1, dtype=dtype) } else { w.astype(dtype) }

## signal.general_cosine(n, a, sym=true, dtype=f32): the window a[0] - a[1] cos(t) + a[2] cos(2 t) - ..., dtype[n].
## t goes from 0 to 2 pi. The window of one element is 1.
fn general_cosine(n, a, sym=true, dtype=f32) {
    let t = _angles(n, sym)
    mut w = 0 * t
    for (k, c) in tuple(enumerate(a)) { w = w + c * (-1.0) ** k * cos(k * t) }
    _one(n, w, dtype)
}
## signal.general_hamming(n, alpha, sym=true, dtype=f32): the window alpha - (1 - alpha) cos(t), t from 0 to 2 pi.
fn general_hamming(n, alpha, sym=true, dtype=f32) =
    general_cosine(n, (alpha, 1 - alpha), sym=sym, dtype=dtype)
## signal.hann(n, sym=true, dtype=f32): the Hann window 0.5 - 0.5 cos(t), t from 0 to 2 pi.
fn hann(n, sym=true, dtype=f32) = general_hamming(n, 0.5, sym=sym, dtype=dtype)
## signal.hamming(n, sym=true, dtype=f32): the Hamming window 0.54 - 0.46 cos(t), t from 0 to 2 pi.
fn hamming(n, sym=true, dtype=f32) = general_hamming(n, 0.54, sym=sym, dtype=dtype)
## signal.blackman(n, sym=true, dtype=f32): the Blackman window 0.42 - 0.5 cos(t) + 0.08 cos(2 t), t from 0 to 2 pi.
fn blackman(n, sym=true, dtype=f32) = general_cosine(n, (0.42, 0.5, 0.08), sym=sym, dtype=dtype)
## signal.blackmanharris(n, sym=true, dtype=f32): the window of four cosine terms.
## Its side lobes are at -92 dB (Harris 1978).
fn blackmanharris(n, sym=true, dtype=f32) =
    general_cosine(n, (0.35875, 0.48829, 0.14128, 0.01168), sym=sym, dtype=dtype)
## signal.boxcar(n, sym=true, dtype=f32): the rectangular window, ones.
fn boxcar(n, sym=true, dtype=f32) = ones(_count(n, "the size of a window"), dtype=dtype)
## signal.bartlett(n, sym=true, dtype=f32): the triangular window with 0 at both ends.
fn bartlett(n, sym=true, dtype=f32) = _one(n, 1 - abs(_angles(n, sym) / pi - 1), dtype)
## signal.cosine(n, sym=true, dtype=f32): a half period of the sine, sampled at (i + 0.5) / n of its length.
## For sym=false it is sampled at (i + 0.5) / (n + 1).
fn cosine(n, sym=true, dtype=f32) {
    let n = _count(n, "the size of a window")
    let m = if sym { n } else { n + 1 }
    sin(pi / (if m < 1 { 1 } else { m }) * (f64(arange(n)) + 0.5)).astype(dtype)
}
## signal.gaussian(n, std, sym=true, dtype=f32): the Gaussian window exp(-d^2 / (2 std^2)).
## d is the distance from the center in elements. `std` must be above 0.
fn gaussian(n, std, sym=true, dtype=f32) {
    let n = _count(n, "the size of a window")
    let std = _positive(std, "the `std` of `signal.gaussian`")
    let d = f64(arange(n)) - (if sym { n - 1 } else { n }) / 2
    exp(-0.5 * (d / std) ** 2).astype(dtype)
}
## signal.kaiser(n, beta, sym=true, dtype=f32): the Kaiser window i0(beta sqrt(1 - d^2)) / i0(beta), d from -1 to 1.
fn kaiser(n, beta, sym=true, dtype=f32) {
    let d = _angles(n, sym) / pi - 1
    let beta = f64(beta)
    _one(n, special.i0(beta * sqrt(maximum(1 - d * d, 0))) / special.i0(beta), dtype)
}
## signal.tukey(n, alpha=0.5, sym=true, dtype=f32): the tapered cosine window.
## A fraction alpha / 2 at each end is a cosine slope, and the rest is 1. alpha <= 0 gives boxcar,
## alpha >= 1 gives hann.
fn tukey(n, alpha=0.5, sym=true, dtype=f32) {
    let t = _angles(n, sym) / (2 * pi)
    if _known(alpha) <= 0 { return boxcar(n, dtype=dtype) }
    let alpha = if _known(alpha) > 1 { 1 } else { alpha }
    let near = minimum(t, 1 - t)
    _one(n, where(near < alpha / 2, 0.5 - 0.5 * cos(2 * pi * near / alpha), 1), dtype)
}

## signal.get_window(name, n, fftbins=true, dtype=f32): the window of n elements with this name, dtype[n].
## fftbins=true gives the periodic window (sym=false). "gaussian", "general_hamming", "kaiser" and "tukey" need a
## parameter, given as the tuple (name, parameter). Other names are errors.
fn get_window(name, n, fftbins=true, dtype=f32) {
    let (name, rest) = if kind(name) == "tuple" { (name[0], name[1:]) } else { (name, ()) }
    let plain = {
        bartlett: bartlett,
        blackman: blackman,
        blackmanharris: blackmanharris,
        boxcar: boxcar,
        cosine: cosine,
        hamming: hamming,
        hann: hann,
    }
    let shaped =
        {gaussian: gaussian, general_hamming: general_hamming, kaiser: kaiser, tukey: tukey}
    if name in plain and len(rest) == 0 { return plain[name](n, sym=not fftbins, dtype=dtype) }
    if name in shaped and len(rest) == 1 {
        return shaped[name](n, rest[0], sym=not fftbins, dtype=dtype)
    }
    _refuse(
        "`signal.get_window` knows {_text_join(keys(plain), ", ")}, and with a parameter {_text_join(keys(shaped), ", ")}, got {name}",
    )
}

# ---- filters

## (b, a): both padded with zeros to one length, divided by a[0], and converted to `dtype`. a[0] must not be 0.
fn _coefficients(b, a, dtype, what) {
    let (b, a) = (_filled(b, what), _filled(a, what))
    assert(
        a[0] != 0,
        "the first element of the `a` of `{what}`, by which all are divided, must not be 0",
    )
    let n = if len(a) > len(b) { len(a) } else { len(b) }
    (
        (pad(b, (0, n - len(b))) / a[0]).astype(dtype),
        (pad(a, (0, n - len(a))) / a[0]).astype(dtype),
    )
}

## signal.lfilter(b, a, x, axis=-1, zi=none): x f[..., n] filtered along an axis by a recursive filter, f[..., n].
## It follows a[0] y[i] = (sum over j >= 0 of b[j] x[i - j]) - (sum over j >= 1 of a[j] y[i - j]). `zi` is the initial
## state, zeros if it is none. It has k = max(len(a), len(b)) - 1 elements along the axis, or is a vector f[k] that is
## broadcast. With `zi` the result is (y, the final state). It is a scan of the transposed direct form II.
fn lfilter(b, a, x, axis=-1, zi=none) {
    let x = _inexact(_of_rank_at_least(x, 1, "signal.lfilter", "x f[..., n]"))
    let rows = moveaxis(x, axis, 0)
    let (b, a) = _coefficients(b, a, x.dtype, "signal.lfilter")
    let (k, rest) = (len(b) - 1, rows.shape[1:])
    let start = if zi == none {
        zeros((k,) + rest, dtype=x.dtype)
    } else {
        let z = array(zi)
        if z.ndim == 0 or z.shape[if z.ndim == 1 { 0 } else { _axes(axis, z.ndim)[0] }] != k {
            _refuse("the `zi` of `signal.lfilter` must have {_counted(k, "element", "elements")} along its axis, got {_type(z)}")
        }
        let z =
            if z.ndim == 1 { z.reshape((k,) + (1,) * (x.ndim - 1)) } else { moveaxis(z, axis, 0) }
        broadcast_to(z, (k,) + rest).astype(x.dtype)
    }
    let (last, y) = scan(fn(z, x) = _filter_step(b, a, z, x), start, rows)
    let y = moveaxis(y, 0, axis)
    if zi == none { y } else { (y, moveaxis(last, 0, axis)) }
}
fn _filter_step(b, a, z, x) {
    if len(z) == 0 { return (z, b[0] * x) }
    let along = fn(c) = c[1:].reshape((-1,) + (1,) * x.ndim)
    let y = b[0] * x + z[0]
    (concatenate((z[1:], zeros_like(z[:1]))) + along(b) * x - along(a) * y, y)
}

## signal.lfilter_zi(b, a): the steady state of lfilter for an input of ones, f[k], k = max(len(a), len(b)) - 1.
fn lfilter_zi(b, a) {
    let (b, a) =
        _coefficients(b, a, result_type(_filled(b, "b"), _filled(a, "a")), "signal.lfilter_zi")
    let k = len(b) - 1
    # The steady state solves z = shifted(z) + b[1:] - a[1:] y with y = b[0] + z[0].
    let shift = eye(k, k, 1, dtype=a.dtype)
    let turn = eye(k, dtype=a.dtype) - shift + a[1:, none] * (arange(k) == 0).astype(a.dtype)
    linalg.solve(turn, b[1:] - a[1:] * b[0])
}

## signal.filtfilt(b, a, x, axis=-1, padlen=none): x filtered by lfilter forward and backward, without phase shift.
## x f[..., n] -> f[..., n]. Both ends are first extended by `padlen` elements, reflected about the end point (odd
## extension). The default is 3 max(len(a), len(b)), and n must exceed it. The initial state is lfilter_zi times the
## first element.
fn filtfilt(b, a, x, axis=-1, padlen=none) {
    let x = _inexact(_of_rank_at_least(x, 1, "signal.filtfilt", "x f[..., n]"))
    let rows = moveaxis(x, axis, 0)
    let longest = if len(a) > len(b) { len(a) } else { len(b) }
    let p = if padlen == none {
        3 * longest
    } else {
        _count(padlen, "the `padlen` of `signal.filtfilt`")
    }
    if len(rows) <= p {
        _refuse("`signal.filtfilt` needs more elements than padlen={p}, got {len(rows)}")
    }
    let before = 2 * rows[:1] - flip(rows[1:p + 1], axis=0)
    let behind = 2 * rows[-1:] - flip(rows[len(rows) - p - 1:-1], axis=0)
    let whole = concatenate((before, rows, behind))
    let zi = lfilter_zi(b, a).astype(x.dtype).reshape((longest - 1,) + (1,) * (x.ndim - 1))
    let once = fn(y) = lfilter(b, a, y, axis=0, zi=zi * y[:1])[0]
    let y = flip(once(flip(once(whole), axis=0)), axis=0)
    moveaxis(y[p:p + len(rows)], 0, axis)
}

## signal.sosfilt(sos, x, axis=-1): x f[..., n] filtered along an axis by second-order sections in series, f[..., n].
## Each row of sos f[k, 6] holds (b0, b1, b2, a0, a1, a2) of one lfilter.
fn sosfilt(sos, x, axis=-1) {
    let sos = _of_rank(sos, 2, "signal.sosfilt", "sections f[k, 6]")
    if sos.shape[1] != 6 { _refuse("`signal.sosfilt` needs sections f[k, 6], got {_type(sos)}") }
    mut y = x
    for s in tuple(sos) { y = lfilter(s[:3], s[3:], y, axis=axis) }
    y
}

## signal.firwin(n, cutoff, window="hamming", pass_zero=true, fs=2.0, dtype=f32): the n coefficients of an FIR filter.
## pass_zero=true gives a low-pass filter with gain 1 at frequency 0. pass_zero=false gives a high-pass filter with gain
## 1 at fs / 2, and needs odd n. `cutoff` is between 0 and fs / 2 and has the units of the sampling rate `fs`. The ideal
## impulse response is multiplied by the window. dtype[n].
fn firwin(n, cutoff, window="hamming", pass_zero=true, fs=2.0, dtype=f32) {
    let n = _count(n, "the size of `signal.firwin`", least=1)
    if not pass_zero and n % 2 == 0 {
        _refuse("`signal.firwin` with pass_zero=false needs an odd size, got {n}")
    }
    let fs =
        _positive(_one_number(fs, "the `fs` of `signal.firwin`"), "the `fs` of `signal.firwin`")
    let cutoff = _one_number(cutoff, "the `cutoff` of `signal.firwin`")
    assert(
        cutoff > 0 and cutoff < fs / 2,
        "the `cutoff` of `signal.firwin` must lie between 0 and fs / 2, the highest frequency there is",
    )
    let c = 2 * cutoff / fs
    let m = f64(arange(n)) - (n - 1) / 2
    let low = c * sinc(c * m)
    let ideal = if pass_zero { low } else { sinc(m) - low }
    let h = ideal * get_window(window, n, fftbins=false, dtype=f64)
    (h / (if pass_zero { sum(h) } else { sum(h * cos(pi * m)) })).astype(dtype)
}

# ---- smoothing

## The rows of a least-squares polynomial fit to n values, f64[n, n]: row i times the values is the derivative of order
## `deriv` at index i. `order` is the degree and `delta` the sample spacing.
fn _polynomial_rows(n, order, deriv, delta) {
    let t = f64(arange(n)) - (n - 1) / 2
    let powers = tuple(0..order + 1)
    let v = stack((t ** k for k in powers), axis=1)
    let falling = (_falling(k, deriv) for k in powers)
    let d = stack(
        (
            f * t ** (if k < deriv { 0 } else { k - deriv })
            for (k, f) in tuple(zip(powers, falling))
        ),
        axis=1,
    )
    let (q, r) = linalg.qr(v)
    d @ linalg.solve_triangular(r, q.T) / f64(delta) ** deriv
}
## The falling factorial k (k - 1) ... (k - d + 1), as a float.
fn _falling(k, d) {
    mut f = 1.0
    for i in tuple(0..d) { f = f * (k - i) }
    f
}
fn _savgol(window_length, polyorder, deriv) {
    let n = _count(window_length, "the `window_length` of `signal.savgol_filter`", least=1)
    let order = _count(polyorder, "the `polyorder` of `signal.savgol_filter`")
    if n % 2 == 0 or order >= n {
        _refuse("`signal.savgol_filter` needs an odd window_length above polyorder, got {n} and {order}")
    }
    (n, order, _count(deriv, "the `deriv` of `signal.savgol_filter`"))
}
## signal.savgol_coeffs(window_length, polyorder, deriv=0, delta=1.0, dtype=f32): the coefficients of savgol_filter.
## Convolution with them, dtype[window_length], gives the filter's result except at both ends.
fn savgol_coeffs(window_length, polyorder, deriv=0, delta=1.0, dtype=f32) {
    let (n, order, d) = _savgol(window_length, polyorder, deriv)
    let delta = _positive(delta, "the `delta` of `signal.savgol_coeffs`")
    flip(_polynomial_rows(n, order, d, delta)[n // 2]).astype(dtype)
}
## signal.savgol_filter(x, window_length, polyorder, deriv=0, delta=1.0, axis=-1): x f[..., n] smoothed, f[..., n].
## Each element is the value of the least-squares polynomial of degree `polyorder` in the window around it, or its
## derivative of order `deriv` for sample spacing `delta`. The polynomials of the first and the last window give the
## elements at the ends (Savitzky and Golay 1964). `window_length` must be odd, above polyorder and at most n.
fn savgol_filter(x, window_length, polyorder, deriv=0, delta=1.0, axis=-1) {
    let x = _inexact(_of_rank_at_least(x, 1, "signal.savgol_filter", "x f[..., n]"))
    let (n, order, d) = _savgol(window_length, polyorder, deriv)
    let delta = _positive(delta, "the `delta` of `signal.savgol_filter`")
    let rows = moveaxis(x, axis, -1)
    let size = rows.shape[-1]
    if size < n {
        _refuse("`signal.savgol_filter` needs {_counted(n, "element", "elements")} at least, got {size}")
    }
    let w = _polynomial_rows(n, order, d, delta).astype(x.dtype).T
    let h = n // 2
    mut inner = zeros(rows.shape[:-1] + (size - 2 * h,), dtype=x.dtype)
    for i in tuple(0..n) { inner = inner + w[i, h] * rows[..., i:i + size - 2 * h] }
    let ends = (rows[..., :n] @ w[:, :h], inner, rows[..., size - n:] @ w[:, n - h:])
    moveaxis(concatenate(ends, axis=-1), -1, axis)
}

## signal.detrend(x, axis=-1, type="linear"): x f[..., n] minus its least-squares line along an axis, f[..., n].
## type "constant" subtracts only the mean.
fn detrend(x, axis=-1, type="linear") {
    let type = _option(type, "`type`", ("linear", "constant"))
    let x = _inexact(_of_rank_at_least(x, 1, "signal.detrend", "x f[..., n]"))
    let rows = moveaxis(x, axis, -1)
    let centred = rows - mean(rows, axis=-1, keepdims=true)
    let n = rows.shape[-1]
    if type == "constant" or n < 2 { return moveaxis(centred, -1, axis) }
    let t = (f64(arange(n)) - (n - 1) / 2).astype(x.dtype)
    let slope = sum(centred * t, axis=-1, keepdims=true) / sum(t * t)
    moveaxis(centred - slope * t, -1, axis)
}

## signal.medfilt(x, kernel_size=3): the medians of `kernel_size` elements around each index of a vector x.
## The result has the shape of x. `kernel_size` is odd. Both ends are padded with zeros.
fn medfilt(x, kernel_size=3) {
    let x = _vector(x, "signal.medfilt")
    let k = _count(kernel_size, "the `kernel_size` of `signal.medfilt`", least=1)
    if k % 2 == 0 { _refuse("the `kernel_size` of `signal.medfilt` must be odd, got {k}") }
    let around = pad(x, (k // 2, k // 2))[arange(len(x))[:, none] + arange(k)]
    sort(around, axis=1)[:, k // 2]
}

# ---- peaks

## signal.is_peak(x, height=none, threshold=none): a mask of the peaks of a vector x, bool[n].
## A peak is greater than its neighbors. A plateau of equal elements has its peak at the middle index, rounded down.
## Both ends of x are never peaks. With `height`, a peak is at least this high. With `threshold`, it exceeds both
## neighbors by at least this amount.
fn is_peak(x, height=none, threshold=none) {
    let x = _vector(x, "signal.is_peak")
    let n = len(x)
    if n < 3 { return zeros(n, dtype=bool) }
    let i = arange(n)
    let change = x[1:] != x[:-1]
    let edge = ones(1, dtype=bool)
    # The first and the last index of the run of equal elements at each index.
    let first = cummax(where(concatenate((edge, change)), i, 0))
    let last = n - 1 - flip(cummax(flip(where(concatenate((change, edge)), n - 1 - i, 0))))
    let inside = first > 0 and last < n - 1
    let rises = x[maximum(first - 1, 0)] < x
    let falls = x[minimum(last + 1, n - 1)] < x
    mut found = inside and rises and falls and i == (first + last) // 2
    if height != none { found = found and x >= height }
    if threshold != none {
        let gap = minimum(x - x[maximum(i - 1, 0)], x - x[minimum(i + 1, n - 1)])
        found = found and gap >= threshold
    }
    found
}
## signal.find_peaks(x, height=none, threshold=none, size=none, fill_value=none): the indices of the peaks, i32[m].
## Peaks are defined by is_peak.
## Compiled code needs `size`, the length of the result. Missing indices are `fill_value`, as for nonzero.
fn find_peaks(x, height=none, threshold=none, size=none, fill_value=none) {
    let peaks = is_peak(x, height=height, threshold=threshold)
    nonzero(peaks, size=_found(peaks, size, "signal.find_peaks"), fill_value=fill_value)[0]
}

# ---- waveforms: elementwise over times or phases f[...]

## x, checked to be fractions of a period, from 0 to 1.
fn _part(x, what) {
    if not _is_numeric(x) {
        _refuse("{what} must be a part of the period, from 0 to 1, got {kind(x)}")
    }
    assert(all(x >= 0) and all(x <= 1), "{what} must be a part of the period, from 0 to 1")
    x
}
## signal.sawtooth(t, width=1.0): a sawtooth wave of period 2 pi, of the shape of t.
## It rises from -1 to 1 over the fraction `width` of each period and falls back over the rest.
fn sawtooth(t, width=1.0) {
    let width = _part(width, "the `width` of `signal.sawtooth`")
    let part = (_inexact(array(t)) / (2 * pi)) % 1
    let up = where(width > 0, width, 1.0)
    let down = where(width < 1, 1 - width, 1.0)
    where(part < width, 2 * part / up - 1, 1 - 2 * (part - width) / down)
}
## signal.square(t, duty=0.5): a square wave of period 2 pi, of the shape of t.
## It is 1 over the first fraction `duty` of each period, else -1.
fn square(t, duty=0.5) {
    let duty = _part(duty, "the `duty` of `signal.square`")
    let x = _inexact(array(t))
    where((x / (2 * pi)) % 1 < duty, 1, -1).astype(x.dtype)
}
## signal.chirp(t, f0, t1, f1, method="linear"): a cosine whose frequency varies from f0 at time 0 to f1 at time t1.
## Frequencies are in cycles per unit of t. `method` is "linear", "quadratic" or "logarithmic". t1 must not be 0.
## "logarithmic" needs f0 and f1 of the same sign.
fn chirp(t, f0, t1, f1, method="linear") {
    let method = _option(method, "`method`", ("linear", "quadratic", "logarithmic"))
    let t = _inexact(array(t))
    assert(all(t1 != 0), "the `t1` of `signal.chirp`, when the frequency is f1, must not be 0")
    if method == "logarithmic" {
        let together = all(f0 * f1 > 0)
        assert(
            together,
            "the `f0` and `f1` of a logarithmic `signal.chirp` must be both above or both below 0, got {f0} and {f1}",
        )
    }
    if method == "linear" { return cos(2 * pi * (f0 * t + 0.5 * (f1 - f0) / t1 * t * t)) }
    if method == "quadratic" { return cos(2 * pi * (f0 * t + (f1 - f0) / (3 * t1 ** 2) * t ** 3)) }
    if _known(f0) == _known(f1) { return cos(2 * pi * f0 * t) }
    let rate = t1 / log(f1 / f0)
    cos(2 * pi * rate * f0 * ((f1 / f0) ** (t / t1) - 1))
}
## signal.unit_impulse(n, at=0, dtype=f32): zeros with a 1 at index `at`, dtype[n].
fn unit_impulse(n, at=0, dtype=f32) = zeros(n, dtype=dtype) with [at] = 1

# ---- spectra: aliases of functions of the module spectra

## signal.fftconvolve(x, h, mode="full"): spectra.fftconvolve.
let fftconvolve = spectra.fftconvolve
## signal.hilbert(x, n=none, axis=-1): spectra.hilbert.
let hilbert = spectra.hilbert
## signal.welch(x, fs=1.0, window="hann", nperseg=256, ...): spectra.welch.
let welch = spectra.welch
## signal.periodogram(x, fs=1.0, window="boxcar", ...): spectra.periodogram.
let periodogram = spectra.periodogram
## signal.stft(x, fs=1.0, window="hann", nperseg=256, ...): spectra.stft.
let stft = spectra.stft
## signal.istft(z, fs=1.0, window="hann", ...): spectra.istft.
let istft = spectra.istft
## signal.butter(n, cutoff, btype="low", fs=2.0, dtype=f32): spectra.butter.
let butter = spectra.butter
