# Inner module of signal: functions that use the Fourier transform along an axis of f[..., n], by default the last:
# convolution, analytic signals, power spectra, spectrograms, and Butterworth filters. Names and conventions follow
# scipy.signal. tests/oracle/complex_values.py compares with SciPy.

## x as real floats with the signal's axis last. An empty axis is an error.
fn _signal(x, axis, what) {
    let x = moveaxis(_inexact(_of_rank_at_least(x, 1, what, "real x[..., n]")), axis, -1)
    if x.shape[-1] == 0 { _refuse("`{what}` needs one element at least, got {_type(x)}") }
    x
}

# ---- convolution

## The least m 2^k >= n with m of 1, 3, 5, 9 and 15, a size with a fast transform.
fn _fast_size(n) = min((m * 2 ** max((0, int(ceil(log2(n / m))))) for m in (1, 3, 5, 9, 15)))

## signal.fftconvolve(x, h, mode="full"): the convolution of x and h along all axes, by Fourier transforms.
## x and h have the same rank and are real or complex. It is faster than convolve for long h. "same" gives the central
## part, of the shape of x. "valid" gives only complete overlaps, and needs h no longer than x along each axis.
fn fftconvolve(x, h, mode="full") {
    let mode = _option(mode, "`mode`", ("full", "same", "valid"))
    let x = _number(_of_rank_at_least(x, 1, "signal.fftconvolve", "x[..., n]"))
    let h = _number(_of_rank(h, x.ndim, "signal.fftconvolve", "h with as many axes as x"))
    if x.size == 0 or h.size == 0 {
        _refuse("`signal.fftconvolve` needs one element at least, got {_type(x)} and {_type(h)}")
    }
    let whole = (n + m - 1 for (n, m) in zip(x.shape, h.shape))
    let s = (_fast_size(n) for n in whole)
    let made = if iscomplexobj(x) or iscomplexobj(h) {
        fft.ifftn(fft.fftn(x, s=s) * fft.fftn(h, s=s))
    } else {
        fft.irfftn(fft.rfftn(x, s=s) * fft.rfftn(h, s=s), s=s)
    }
    let kept = if mode == "full" {
        whole
    } else if mode == "same" {
        x.shape
    } else {
        (n - m + 1 for (n, m) in zip(x.shape, h.shape))
    }
    mut y = made
    for (axis, n) in tuple(enumerate(whole)) {
        if kept[axis] < 1 {
            _refuse("for mode \"valid\" h must be no longer than x, got {_type(x)} and {_type(h)}")
        }
        let first = (n - kept[axis]) // 2
        y = moveaxis(moveaxis(y, axis, 0)[first:first + kept[axis]], 0, axis)
    }
    y
}

## signal.hilbert(x, n=none, axis=-1): the analytic signal of real x, c[..., n].
## Its real part is x and its imaginary part is the Hilbert transform of x. `n` is the size of the transform. x is cut
## or padded with zeros to it.
fn hilbert(x, n=none, axis=-1) {
    let x = _signal(x, axis, "signal.hilbert")
    let n = if n == none { x.shape[-1] } else { _count(n, "the size of `signal.hilbert`", least=1) }
    let k = arange(n)
    let twice = where(k == 0 or 2 * k == n, 1, where(2 * k < n, 2, 0)).astype(x.dtype)
    let rows = fft.fft(x, n=n)
    moveaxis(fft.ifft(rows * twice), -1, axis)
}

# ---- power spectra and spectrograms

fn _window(window, n, dtype) {
    if kind(window) == "array" { return window.astype(dtype) }
    signal.get_window(window, n, dtype=dtype)
}

## Segments of n elements along the last axis, whose starts are `step` apart: f[..., segments, n].
fn _segments(x, n, step) {
    let count = (x.shape[-1] - n) // step + 1
    x[..., arange(count)[:, none] * step + arange(n)]
}
fn _sizes(have, nperseg, noverlap, nfft, what) {
    let n = min((_count(nperseg, "nperseg", least=1), _known(have)))
    let overlap = if noverlap == none { n // 2 } else { _count(noverlap, "noverlap") }
    let points = if nfft == none { n } else { _count(nfft, "nfft", least=n) }
    if overlap >= n { _refuse("`{what}` needs noverlap below nperseg, got {overlap} and {n}") }
    (n, n - overlap, points)
}
fn _without_trend(x, detrend) =
    if detrend == none or kind(detrend) != "str" { x } else { signal.detrend(x, type=detrend) }

## signal.welch(x, fs=1.0, window="hann", nperseg=256, noverlap=none, nfft=none, detrend="constant", scaling="density", axis=-1):
## (frequencies f[k], power spectrum f[..., k]) of real x by Welch's method.
## The power is the mean of the periodograms of segments of `nperseg` elements (at most all of x). Each segment is
## multiplied by the window, a name for get_window or an array f[nperseg]. Segments overlap by `noverlap` elements,
## nperseg // 2 if it is none. `nfft` is the size of the transforms, at least nperseg, and nperseg if it is none.
## k = nfft // 2 + 1, and the spectrum is one-sided. scaling "density" gives power per Hz. "spectrum" gives power,
## A^2 / 2 for a sine of amplitude A. `detrend` is the type of signal.detrend. none leaves it as it is.
fn welch(
    x,
    fs=1.0,
    window="hann",
    nperseg=256,
    noverlap=none,
    nfft=none,
    detrend="constant",
    scaling="density",
    axis=-1,
) = _power(
    _signal(x, axis, "signal.welch"),
    fs,
    window,
    nperseg,
    noverlap,
    nfft,
    detrend,
    scaling,
    axis,
    "signal.welch",
)
## Welch's method for x with the signal's axis last. `axis` is its position in the result.
fn _power(x, fs, window, nperseg, noverlap, nfft, detrend, scaling, axis, what) {
    let scaling = _option(scaling, "`scaling`", ("density", "spectrum"))
    let (n, step, points) = _sizes(x.shape[-1], nperseg, noverlap, nfft, what)
    let w = _window(window, n, x.dtype)
    let scale = if scaling == "density" { 1 / (fs * sum(w * w)) } else { 1 / sum(w) ** 2 }
    let rows = fft.rfft(_without_trend(_segments(x, n, step), detrend) * w, n=points)
    let power = _squares(rows) * scale
    let k = arange(points // 2 + 1)
    let once = k == 0 or 2 * k == points
    let found = mean(power * where(once, 1, 2).astype(x.dtype), axis=-2)
    (fft.rfftfreq(points, d=1 / fs, dtype=x.dtype), moveaxis(found, -1, axis))
}
## signal.periodogram(x, fs=1.0, window="boxcar", nfft=none, detrend="constant", scaling="density", axis=-1):
## (frequencies f[k], power spectrum f[..., k]) of real x. It is welch with all of x as the only segment.
fn periodogram(
    x,
    fs=1.0,
    window="boxcar",
    nfft=none,
    detrend="constant",
    scaling="density",
    axis=-1,
) {
    let x = _signal(x, axis, "signal.periodogram")
    _power(x, fs, window, x.shape[-1], 0, nfft, detrend, scaling, axis, "signal.periodogram")
}

## Whether `boundary` asks for zeros at both ends of the signal.
fn _surrounded(boundary, what) {
    if boundary == none { return false }
    if kind(boundary) == "str" { return _option(boundary, "`boundary`", ("zeros",)) == "zeros" }
    if kind(boundary) != "number" or array(boundary).dtype != bool {
        _refuse("the `boundary` of `{what}` must be true (or \"zeros\") or false (or none), got {_type(boundary)}")
    }
    boundary
}

## signal.stft(x, fs=1.0, window="hann", nperseg=256, noverlap=none, nfft=none, boundary=true, padded=true, axis=-1):
## (frequencies f[k], times f[t], transforms c[..., k, t]) of overlapping segments of real x.
## The arguments are those of welch. The transforms are divided by the sum of the window: a sine of amplitude A gives
## |z| = A / 2. `times` are the centers of the segments. boundary=true or "zeros" pads nperseg // 2 zeros at both ends;
## false or none does not. padded=true pads zeros at the end until the segments cover all of x.
fn stft(
    x,
    fs=1.0,
    window="hann",
    nperseg=256,
    noverlap=none,
    nfft=none,
    boundary=true,
    padded=true,
    axis=-1,
) {
    let x = _signal(x, axis, "signal.stft")
    let (n, step, points) = _sizes(x.shape[-1], nperseg, noverlap, nfft, "signal.stft")
    let boundary = _surrounded(boundary, "signal.stft")
    let half = n // 2
    let around = if boundary { half } else { 0 }
    let long = x.shape[-1] + 2 * around
    let more = if padded { (n - long) % step % n } else { 0 }
    let lead = ((0, 0),) * (x.ndim - 1)
    let rows = _segments(pad(x, lead + ((around, around + more),)), n, step)
    let w = _window(window, n, x.dtype)
    let made = fft.rfft(rows * (w / sum(w)), n=points)
    let first = if boundary { 0.0 } else { n / 2 }
    let times = (arange(rows.shape[-2]) * step + first).astype(x.dtype) / fs
    (fft.rfftfreq(points, d=1 / fs, dtype=x.dtype), times, swapaxes(made, -1, -2))
}

## signal.istft(z, fs=1.0, window="hann", nperseg=none, noverlap=none, nfft=none, boundary=true): the inverse of stft.
## z c[..., k, t] -> (times f[n], signal f[..., n]). Where windows overlap, the signal is the least-squares solution.
## If `nperseg` is none, it is 2 (k - 1). boundary=true or "zeros" removes nperseg // 2 elements at both ends.
fn istft(z, fs=1.0, window="hann", nperseg=none, noverlap=none, nfft=none, boundary=true) {
    let z = _of_rank_at_least(z, 2, "signal.istft", "z c[..., k, t]")
    let boundary = _surrounded(boundary, "signal.istft")
    let widest = 2 * (z.shape[-2] - 1)
    let n = if nperseg == none { widest } else { _count(nperseg, "nperseg", least=1) }
    # An odd size has as many frequencies as the even size below it.
    let usual = if n == widest + 1 { n } else { widest }
    let (_, step, points) =
        _sizes(n, n, noverlap, if nfft == none { usual } else { nfft }, "signal.istft")
    let rows = fft.irfft(swapaxes(z, -1, -2), n=points)[..., :n]
    let w = _window(window, n, rows.dtype)
    let count = rows.shape[-2]
    let places = arange(count)[:, none] * step + arange(n)
    let long = (count - 1) * step + n
    let first = moveaxis(moveaxis(rows * (w * sum(w)), -1, 0), -1, 0)  # f[t, n, ...]
    let added = zeros((long,) + first.shape[2:], dtype=rows.dtype) with [places] += first
    let weight = zeros(long, dtype=rows.dtype) with [places] += broadcast_to(w * w, (count, n))
    let y = moveaxis(added, 0, -1) / where(weight > 1e-10, weight, 1)
    let cut = if boundary { y[..., n // 2:long - n // 2] } else { y }
    (arange(cut.shape[-1]).astype(rows.dtype) / fs, cut)
}

# ---- Butterworth filters

## signal.butter(n, cutoff, btype="low", fs=2.0, dtype=f32): the sections of a Butterworth filter for sosfilt.
## The shape is dtype[(n + 1) // 2, 6] for order n. The passband is maximally flat. btype "low" passes frequencies
## below `cutoff`, "high" those above it. The gain in power at `cutoff` is 1/2. `cutoff` is between 0 and fs / 2 and has
## the units of the sampling rate `fs`. The analog filter is converted by the bilinear transform.
fn butter(n, cutoff, btype="low", fs=2.0, dtype=f32) {
    let n = _count(n, "the order of `signal.butter`", least=1)
    let btype = _option(btype, "`btype`", ("low", "high"))
    assert(
        cutoff > 0 and cutoff < fs / 2,
        "the `cutoff` of `signal.butter` must lie between 0 and fs / 2, the highest frequency there is",
    )
    let warped = 4 * tan(pi * f64(cutoff) / f64(fs))
    # One pole of each conjugate pair, ordered from the real axis.
    let m = f64(arange(n - 1, -1, -2))
    let ideal = -exp(1j * pi * m / (2 * n))
    let upper = flip(if btype == "low" { warped * ideal } else { warped / ideal })
    let poles = (4 + upper) / (4 - upper)
    # For an odd order the first section has the single real pole. The last one has the single zero, as in SciPy.
    let alone = flip(m) == 0
    let single = arange(len(m)) == len(m) - 1 and n % 2 == 1
    let ends = if btype == "low" { 1.0 } else { -1.0 }
    let one = ones(len(m), dtype=f64)
    let top = stack(
        (
            one,
            where(single, ends, 2 * ends),
            where(single, 0, 1),
            one,
            where(alone, -real(poles), -2 * real(poles)),
            where(alone, 0, _squares(poles)),
        ),
        axis=1,
    )
    # The gain is 1 in the passband: at the frequency 0, or at fs / 2.
    let signs = array([1.0, ends, 1.0], dtype=f64)
    let gain = prod((top[:, 3:] @ signs) / (top[:, :3] @ signs))
    (top with [0, :3] *= gain).astype(dtype)
}

test "a signal comes back from its spectrogram, batches are rows" {
    let x = random.normal(random.key(0), (2, 100))
    for options in ({nperseg: 16}, {nperseg: 20, noverlap: 15}, {nperseg: 9, noverlap: 6}) {
        let noverlap = if "noverlap" in options { options.noverlap } else { none }
        let (_, _, z) = stft(x, nperseg=options.nperseg, noverlap=noverlap)
        let (_, y) = istft(z, nperseg=options.nperseg, noverlap=noverlap)
        assert(allclose(y[:, :100], x, atol=1e-5), "{options}")
    }
    assert(allclose(vmap(fn(r) = stft(r, nperseg=8)[2])(x), stft(x, nperseg=8)[2], atol=1e-6))
    assert(allclose(welch(x.T, nperseg=8, axis=0)[1].T, welch(x, nperseg=8)[1], atol=1e-6))
}

test "power is that of the signal, a wave has its amplitude" {
    let t = arange(200) / 200
    let wave = 3 * sin(2 * pi * 20 * t)
    let (f, power) = periodogram(wave, fs=200.0)
    assert(abs(sum(power) - mean(wave ** 2)) < 1e-4 and f[argmax(power)] == 20)
    assert(abs(max(periodogram(wave, scaling="spectrum")[1]) - 4.5) < 1e-4)
    assert(allclose(abs(hilbert(wave)), 3, atol=1e-4))
}

test "convolution by transforms is convolution, with its derivatives" {
    let (x, h) = (random.normal(random.key(1), (17,)), random.normal(random.key(2), (6,)))
    for mode in ("full", "same", "valid") {
        assert(allclose(fftconvolve(x, h, mode=mode), signal.convolve(x, h, mode=mode), atol=1e-5))
    }
    let loss = fn(f, h) = sum(f(x, h) ** 2)
    assert(
        allclose(
            grad(fn(h) = loss(fftconvolve, h))(h),
            grad(fn(h) = loss(signal.convolve, h))(h),
            rtol=1e-4,
        ),
    )
    let z = complex(x, x[::-1])
    assert(allclose(real(fftconvolve(z, h)), fftconvolve(x, h), atol=1e-5))
}

test "Butterworth's filters let the mean through, or stop it" {
    for n in (1, 4, 7) {
        let low = signal.sosfilt(butter(n, 0.2), ones(400))
        assert(allclose(low[-1], 1, atol=1e-3))
        assert(allclose(signal.sosfilt(butter(n, 0.2, btype="high"), ones(400))[-1], 0, atol=1e-3))
        # The power of the sine is 1/2, and the gain in power at the cutoff is 1/2.
        let t = arange(2000)
        let out = signal.sosfilt(butter(n, 0.2, dtype=f64), sin(0.2 * pi * f64(t)))
        assert(allclose(mean(out[1000:] ** 2), 0.25, rtol=1e-2))
    }
}
