# signal: what filters and windows must satisfy, in every dtype, under vmap and grad. tests/oracle/module_values.pm compares with SciPy.

let x = random.normal(random.key(0), (3, 30))

test "convolution in both orders, of integers, with derivatives" {
    assert(allclose(signal.convolve([1, 2, 3], [0, 1]), [0, 1, 2, 3]))
    assert(allclose(signal.convolve(x[0], x[1, :4]), signal.convolve(x[1, :4], x[0]), atol=1e-5))
    assert(
        allclose(
            vmap(fn(r) = signal.convolve(r, [1.0, -1.0]))(x)[2],
            signal.convolve(x[2], [1.0, -1.0]),
        ),
    )
    let g = grad(fn(h) = sum(signal.convolve(x[0], h, mode="valid")))(ones(3))
    assert(allclose(g, stack((sum(x[0, 2:]), sum(x[0, 1:-1]), sum(x[0, :-2]))), atol=1e-5))
}

test "windows are symmetric, periodic ones are the first of one more, all of one are 1" {
    for name in (
        "hann",
        "hamming",
        "blackman",
        "blackmanharris",
        "bartlett",
        "boxcar",
        "cosine",
        ("kaiser", 6.0),
        ("gaussian", 2.0),
        ("tukey", 0.4),
    ) {
        let w = signal.get_window(name, 9, fftbins=false)
        assert(allclose(w, flip(w), atol=1e-6) and allclose(w[4], 1, atol=1e-6))
        assert(allclose(signal.get_window(name, 8), w[:8], atol=1e-6))
        assert(
            allclose(signal.get_window(name, 1, fftbins=false), 1) and
            signal.get_window(name, 0).shape == (0,),
        )
        assert(signal.get_window(name, 5, dtype=bf16).dtype == bf16)
    }
}

test "a filter is linear, causal, and goes on from its state" {
    let (b, a) = ([0.2, 0.3], [1.0, -0.5, 0.1])
    let y = signal.lfilter(b, a, x)
    assert(allclose(signal.lfilter(b, a, 2 * x[0] + x[1]), 2 * y[0] + y[1], atol=1e-5))
    assert(allclose(signal.lfilter(b, a, x[:, :10]), y[:, :10]))
    let (first, state) = signal.lfilter(b, a, x[:, :12], zi=zeros(2))
    let (rest, _) = signal.lfilter(b, a, x[:, 12:], zi=state)
    assert(allclose(concatenate((first, rest), axis=1), y, atol=1e-5))
    assert(allclose(vmap(fn(r) = signal.lfilter(b, a, r))(x), y, atol=1e-6))
    assert(allclose(signal.lfilter(b, a, x.T, axis=0), y.T, atol=1e-6))
    # the last output depends on an input through the impulse response
    let g = grad(fn(r) = signal.lfilter(b, a, r)[-1])(x[0])
    assert(allclose(flip(g), signal.lfilter(b, a, signal.unit_impulse(30)), atol=1e-6))
    assert(signal.lfilter(b, a, f64(x)).dtype == f64 and signal.lfilter(b, a, f16(x)).dtype == f16)
    assert(
        allclose(
            signal.lfilter(b, a, ones(5), zi=signal.lfilter_zi(b, a) * 1.0)[0],
            0.5 / 0.6,
            atol=1e-5,
        ),
    )
    assert(signal.lfilter(b, a, zeros((2, 0))).shape == (2, 0))
}

test "filtfilt moves nothing" {
    let t = linspace(0.0, 1.0, 200)
    let slow = sin(2 * pi * 2 * t)
    let h = signal.firwin(21, 0.2)
    let y = signal.filtfilt(h, [1.0], slow + 0.3 * sin(2 * pi * 80 * t))
    assert(max(abs(y - slow)) < 0.05)
}

test "polynomials pass savgol_filter, lines leave nothing in detrend" {
    let t = linspace(-1.0, 2.0, 25)
    let p = 1 + t - 2 * t ** 2
    assert(allclose(signal.savgol_filter(p, 7, 2), p, atol=1e-5))
    assert(allclose(signal.savgol_filter(p, 7, 2, deriv=1, delta=0.125), 1 - 4 * t, atol=1e-4))
    assert(
        allclose(signal.savgol_filter(stack((p, p)), 5, 2)[1], p, atol=1e-5) and
        signal.savgol_filter(bf16(p), 5, 2).dtype == bf16,
    )
    assert(allclose(signal.detrend(stack((3 * t - 1, 2 - t))), 0, atol=1e-5))
    assert(allclose(jit(fn(x) = signal.detrend(x, axis=0))(x), signal.detrend(x, axis=0)))
}

test "peaks, flat and sharp, at top level and in compiled code" {
    let s = [0.0, 2.0, 0.0, 1.0, 1.0, 0.0, 3.0]
    assert(
        array_equal(signal.find_peaks(s), [1, 3]) and
        array_equal(signal.find_peaks(s, height=1.5), [1]),
    )
    assert(array_equal(jit(fn(s) = signal.find_peaks(s, size=3, fill_value=-1))(s), [1, 3, -1]))
    assert(not any(signal.is_peak([1.0, 1.0])) and not any(signal.is_peak(ones(5))))
    assert(
        array_equal(
            vmap(signal.is_peak)(stack((s, -s)))[1],
            [false, false, true, false, false, true, false],
        ),
    )
    assert(array_equal(signal.medfilt([0, 9, 0, 0, 5, 5, 5], 3), [0, 0, 0, 0, 5, 5, 5]))
}

test "waves" {
    let t = linspace(0.0, 6.0, 13)
    assert(all(abs(signal.sawtooth(t, 0.5)) <= 1) and all(abs(signal.square(t)) == 1))
    assert(allclose(signal.sawtooth([0.0, pi / 2, pi], 0.5), [-1, 0, 1], atol=1e-6))
    assert(allclose(signal.chirp(t, 1.0, 6.0, 1.0), cos(2 * pi * t), atol=1e-4))
}

test "tukey beyond its range is hann or a box" {
    assert(allclose(signal.tukey(9, 2.0), signal.hann(9), atol=1e-6))
    assert(
        allclose(signal.tukey(9, 1.0), signal.hann(9), atol=1e-6) and
        all(signal.tukey(9, -1.0) == 1),
    )
}
