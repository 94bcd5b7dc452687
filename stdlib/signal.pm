# Signals along an axis of f[..., n], by default the last: convolution, windows, filters, smoothing, peaks, waves. Names and conventions are
# scipy.signal's; results have x's floating dtype. What works on spectra stands in spectra.pm, the rest here. tests/library/signal.pm tests them,
# tests/oracle/module_values.pm compares with SciPy.

# ---- convolution

fn _filled(x, what) {
    let x = _inexact(_vector(x, what))
    if len(x) == 0 { _refuse("`{what}` needs one element at least, got {_type(x)}") }
    x
}

## signal.convolve(x, h, mode="full", precision=none): the sum over j of x[i - j] h[j], f[n], f[m] -> f[n + m - 1]; "same": f[n], its middle;
## "valid": f[|n - m| + 1], where they lie within each other.
fn convolve(x, h, mode="full", precision=none) = _convolution(
    _filled(x, "signal.convolve"),
    _filled(h, "signal.convolve"),
    mode,
    precision,
    "signal.convolve",
)
## signal.correlate(x, h, mode="full", precision=none): the sum over j of x[i + j] h[j]: convolve with h turned round.
fn correlate(x, h, mode="full", precision=none) =
    convolve(x, flip(_filled(h, "signal.correlate")), mode=mode, precision=precision)

## signal.correlate2d(x, h, mode="full", precision=none): the sum over j and k of x[a + j, b + k] h[j, k], f[n, m], f[k, l] -> f[n + k - 1, m + l - 1]; "same": f[n, m];
## "valid": f[n - k + 1, m - l + 1] for h no greater than x; precision is that of matmul.
fn correlate2d(x, h, mode="full", precision=none) =
    _over_two(x, h, mode, precision, "signal.correlate2d")
## signal.convolve2d(x, h, mode="full", precision=none): correlate2d with h turned round.
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
    # SciPy puts the middle of an even size before the half for the one and behind it for the other
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

# ---- windows of n elements, dtype[n]; sym=true as for filters, false the first n of n + 1, as for the Fourier transform

## The angles of a window, 0 to 2 pi, and ends for a window of one.
fn _angles(n, sym) {
    let n = _count(n, "the size of a window")
    let m = if sym { n - 1 } else { n }
    f64(arange(n)) * (2 * pi / (if m < 1 { 1 } else { m }))
}
fn _one(n, w, dtype) = if _known(n) == 1 { ones(1, dtype=dtype) } else { w.astype(dtype) }

## signal.general_cosine(n, a, sym=true, dtype=f32): a[0] - a[1] cos(t) + a[2] cos(2 t) - ..., t from 0 to 2 pi.
fn general_cosine(n, a, sym=true, dtype=f32) {
    let t = _angles(n, sym)
    mut w = 0 * t
    for (k, c) in tuple(enumerate(a)) { w = w + c * (-1.0) ** k * cos(k * t) }
    _one(n, w, dtype)
}
## signal.general_hamming(n, alpha, sym=true, dtype=f32): alpha - (1 - alpha) cos(t).
fn general_hamming(n, alpha, sym=true, dtype=f32) =
    general_cosine(n, (alpha, 1 - alpha), sym=sym, dtype=dtype)
## signal.hann(n, sym=true, dtype=f32): 0.5 - 0.5 cos(t).
fn hann(n, sym=true, dtype=f32) = general_hamming(n, 0.5, sym=sym, dtype=dtype)
## signal.hamming(n, sym=true, dtype=f32): 0.54 - 0.46 cos(t).
fn hamming(n, sym=true, dtype=f32) = general_hamming(n, 0.54, sym=sym, dtype=dtype)
## signal.blackman(n, sym=true, dtype=f32): 0.42 - 0.5 cos(t) + 0.08 cos(2 t).
fn blackman(n, sym=true, dtype=f32) = general_cosine(n, (0.42, 0.5, 0.08), sym=sym, dtype=dtype)
## signal.blackmanharris(n, sym=true, dtype=f32): four cosines with side lobes of -92 dB (Harris 1978).
fn blackmanharris(n, sym=true, dtype=f32) =
    general_cosine(n, (0.35875, 0.48829, 0.14128, 0.01168), sym=sym, dtype=dtype)
## signal.boxcar(n, sym=true, dtype=f32): ones.
fn boxcar(n, sym=true, dtype=f32) = ones(_count(n, "the size of a window"), dtype=dtype)
## signal.bartlett(n, sym=true, dtype=f32): a triangle, 0 at the ends.
fn bartlett(n, sym=true, dtype=f32) = _one(n, 1 - abs(_angles(n, sym) / pi - 1), dtype)
## signal.cosine(n, sym=true, dtype=f32): half a period of sin, between its zeros.
fn cosine(n, sym=true, dtype=f32) {
    let n = _count(n, "the size of a window")
    let m = if sym { n } else { n + 1 }
    sin(pi / (if m < 1 { 1 } else { m }) * (f64(arange(n)) + 0.5)).astype(dtype)
}
## signal.gaussian(n, std, sym=true, dtype=f32): exp(-d^2 / (2 std^2)), d the distance from the middle.
fn gaussian(n, std, sym=true, dtype=f32) {
    let n = _count(n, "the size of a window")
    let std = _positive(std, "the `std` of `signal.gaussian`")
    let d = f64(arange(n)) - (if sym { n - 1 } else { n }) / 2
    exp(-0.5 * (d / std) ** 2).astype(dtype)
}
## signal.kaiser(n, beta, sym=true, dtype=f32): i0(beta sqrt(1 - d^2)) / i0(beta), d from -1 to 1.
fn kaiser(n, beta, sym=true, dtype=f32) {
    let d = _angles(n, sym) / pi - 1
    let beta = f64(beta)
    _one(n, special.i0(beta * sqrt(maximum(1 - d * d, 0))) / special.i0(beta), dtype)
}
## signal.tukey(n, alpha=0.5, sym=true, dtype=f32): ones in the middle, a part alpha / 2 of a cosine's slope at each end; from alpha 1 on hann.
fn tukey(n, alpha=0.5, sym=true, dtype=f32) {
    let t = _angles(n, sym) / (2 * pi)
    if _known(alpha) <= 0 { return boxcar(n, dtype=dtype) }
    let alpha = if _known(alpha) > 1 { 1 } else { alpha }
    let near = minimum(t, 1 - t)
    _one(n, where(near < alpha / 2, 0.5 - 0.5 * cos(2 * pi * near / alpha), 1), dtype)
}

## signal.get_window(name, n, fftbins=true, dtype=f32): the window of this name, periodic for fftbins=true; (name, parameter) for "gaussian",
## "kaiser", "tukey", "general_hamming".
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

## b and a of one length in x's dtype, the first of a 1.
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

## signal.lfilter(b, a, x, axis=-1, zi=none): a[0] y[i] = sum b[j] x[i - j] - sum a[j] y[i - j], j from 1 for a; f[..., n] -> f[..., n]. zi f[..., k], k =
## max(len(a), len(b)) - 1 as long along the axis, is the state to begin with; then the result is (y, the last state). A scan (the
## transposed second direct form).
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

## signal.lfilter_zi(b, a): the state in which a filter stays for an input of ones, f[k].
fn lfilter_zi(b, a) {
    let (b, a) =
        _coefficients(b, a, result_type(_filled(b, "b"), _filled(a, "a")), "signal.lfilter_zi")
    let k = len(b) - 1
    # z = shifted(z) + b[1:] - a[1:] y with y = b[0] + z[0]
    let shift = eye(k, k, 1, dtype=a.dtype)
    let turn = eye(k, dtype=a.dtype) - shift + a[1:, none] * (arange(k) == 0).astype(a.dtype)
    linalg.solve(turn, b[1:] - a[1:] * b[0])
}

## signal.filtfilt(b, a, x, axis=-1, padlen=none): lfilter forwards and backwards, which moves nothing; both ends are lengthened by padlen elements
## (3 max(len(a), len(b))) turned round the end, and the filter begins in its steady state.
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

## signal.sosfilt(sos, x, axis=-1): lfilter by each row (b0, b1, b2, a0, a1, a2) of sos f[k, 6] after the other.
fn sosfilt(sos, x, axis=-1) {
    let sos = _of_rank(sos, 2, "signal.sosfilt", "sections f[k, 6]")
    if sos.shape[1] != 6 { _refuse("`signal.sosfilt` needs sections f[k, 6], got {_type(sos)}") }
    mut y = x
    for s in tuple(sos) { y = lfilter(s[:3], s[3:], y, axis=axis) }
    y
}

## signal.firwin(n, cutoff, window="hamming", pass_zero=true, fs=2.0, dtype=f32): n coefficients of a filter that lets through what is below cutoff
## (pass_zero=false: above, n odd), in units of which fs are two at the highest frequency; by a window over the ideal filter.
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

## Rows of f64[n, n]: what gives the derivative number `deriv` at each place of n from the polynomial nearest to the values there.
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
## k (k - 1) ... (k - d + 1).
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
## signal.savgol_coeffs(window_length, polyorder, deriv=0, delta=1.0, dtype=f32): what to convolve with for savgol_filter.
fn savgol_coeffs(window_length, polyorder, deriv=0, delta=1.0, dtype=f32) {
    let (n, order, d) = _savgol(window_length, polyorder, deriv)
    let delta = _positive(delta, "the `delta` of `signal.savgol_coeffs`")
    flip(_polynomial_rows(n, order, d, delta)[n // 2]).astype(dtype)
}
## signal.savgol_filter(x, window_length, polyorder, deriv=0, delta=1.0, axis=-1): at each place the value (or derivative, delta the distance of
## elements) of the polynomial nearest to the window around it; the first and the last window serve the ends (Savitzky and Golay 1964).
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

## signal.detrend(x, axis=-1, type="linear"): x less the line nearest to it along an axis, or ("constant") its mean.
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

## signal.medfilt(x, kernel_size=3): the median of the odd number of elements around each place of a vector, zeros outside.
fn medfilt(x, kernel_size=3) {
    let x = _vector(x, "signal.medfilt")
    let k = _count(kernel_size, "the `kernel_size` of `signal.medfilt`", least=1)
    if k % 2 == 0 { _refuse("the `kernel_size` of `signal.medfilt` must be odd, got {k}") }
    let around = pad(x, (k // 2, k // 2))[arange(len(x))[:, none] + arange(k)]
    sort(around, axis=1)[:, k // 2]
}

# ---- peaks

## signal.is_peak(x, height=none, threshold=none): whether a place of a vector is a peak, bool[n]: higher than what stands on both sides, of a flat one the
## middle; of at least this height, and as much above both neighbours as threshold says.
fn is_peak(x, height=none, threshold=none) {
    let x = _vector(x, "signal.is_peak")
    let n = len(x)
    if n < 3 { return zeros(n, dtype=bool) }
    let i = arange(n)
    let change = x[1:] != x[:-1]
    let edge = ones(1, dtype=bool)
    # where the run of equal elements that holds each place begins and ends
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
## signal.find_peaks(x, height=none, threshold=none, size=none, fill_value=none): the places of is_peak, i32[m]; in compiled code of the given size, what is
## missing as fill_value says (nonzero's).
fn find_peaks(x, height=none, threshold=none, size=none, fill_value=none) {
    let peaks = is_peak(x, height=height, threshold=threshold)
    nonzero(peaks, size=_found(peaks, size, "signal.find_peaks"), fill_value=fill_value)[0]
}

# ---- waves: elementwise over times or phases f[...]

## Parts of a period, each from 0 to 1.
fn _part(x, what) {
    if not _is_numeric(x) {
        _refuse("{what} must be a part of the period, from 0 to 1, got {kind(x)}")
    }
    assert(all(x >= 0) and all(x <= 1), "{what} must be a part of the period, from 0 to 1")
    x
}
## signal.sawtooth(t, width=1.0): from -1 to 1 over a part `width` of each period 2 pi, and back over the rest.
fn sawtooth(t, width=1.0) {
    let width = _part(width, "the `width` of `signal.sawtooth`")
    let part = (_inexact(array(t)) / (2 * pi)) % 1
    let up = where(width > 0, width, 1.0)
    let down = where(width < 1, 1 - width, 1.0)
    where(part < width, 2 * part / up - 1, 1 - 2 * (part - width) / down)
}
## signal.square(t, duty=0.5): 1 over a part `duty` of each period 2 pi, else -1.
fn square(t, duty=0.5) {
    let duty = _part(duty, "the `duty` of `signal.square`")
    let x = _inexact(array(t))
    where((x / (2 * pi)) % 1 < duty, 1, -1).astype(x.dtype)
}
## signal.chirp(t, f0, t1, f1, method="linear"): cos of a frequency that goes from f0 at 0 to f1 at t1, "linear", "quadratic" or "logarithmic".
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
## signal.unit_impulse(n, at=0, dtype=f32): zeros with a 1 at one place, dtype[n].
fn unit_impulse(n, at=0, dtype=f32) = zeros(n, dtype=dtype) with [at] = 1

# ---- spectra: the module spectra

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
