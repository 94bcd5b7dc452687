# Global functions of the prelude at known points; tests/oracle/prelude_values.pm compares with JAX.

test "quantiles of infinities, of 16 bits, of no lines" {
    assert(quantile([inf, 1.0, inf], 0.5) == inf and nanmedian([inf, 1.0, inf, nan]) == inf)
    assert(isnan(quantile([-inf, inf], 0.5)) and quantile([1.0, inf], 0.0) == 1)
    assert(quantile(f16(ones(70000)), 0.5) == 1 and nanquantile(f16(ones(70000)), 0.5) == 1)
    assert(quantile(zeros((2, 0)), 0.5, axis=0).shape == (0,))
    assert(nanquantile(zeros((2, 0, 3)), [0.5, 0.1], axis=(0, 2)).shape == (2, 0))
}

test "the slope of a remainder is its quotient, where the rounded division has another integer part" {
    assert(f32(1e4) // f32(0.1) == 99999 and grad(fn(b) = f32(1e4) % b)(f32(0.1)) == -99999)
    assert(grad(fn(b) = f64(-7) % b)(f64(2)) == 4)
}

test "the median of infinities, of halves, of nothing" {
    assert(median([1.0, inf, inf]) == inf and isnan(median([-inf, inf])))
    assert(isnan(median([1.0, nan, 2.0])) and isnan(median(zeros(0))))
    assert(median(f16([60000.0, 60000.0])) == 60000 and median([1, 2, 4]).dtype == f32)
    assert(array_equal(median([[1.0, 4.0], [3.0, 2.0], [2.0, 9.0]], axis=0), [2, 4]))
}

test "correlate by the shorter is the other way round" {
    assert(array_equal(correlate([1, 2], [1, 2, 4], mode="same"), [10, 5, 2]))
    assert(array_equal(correlate([1, 2, 4], [1, 2], mode="same"), [2, 5, 10]))
    assert(array_equal(correlate([1, 2], [1, 2, 4]), [10, 5]))
    assert(array_equal(convolve([1, 2], [1, 2, 4], mode="same"), [1, 4, 8]))
}

test "a convolution by many elements is that by the definition" {
    for (n, m) in ((40, 40), (37, 17), (100, 33), (300, 257)) {
        let x = random.randint(random.key(n), (n,), -9, 9)
        let w = random.randint(random.key(m), (m,), -9, 9)
        let direct =
            zeros((n + m - 1,), dtype=i32) with [arange(n)[:, none] + arange(m)] += x[:, none] * w
        assert(array_equal(convolve(x, w), direct) and array_equal(convolve(w, x), direct))
        assert(array_equal(convolve(x, w, mode="valid"), direct[m - 1:n]))
        assert(
            array_equal(convolve(i8(x), i8(w)), i8(direct)) and convolve(i8(x), i8(w)).dtype == i8,
        )
    }
    # a NaN affects only the sums that contain it, and small elements keep their digits
    let x = ones(100) with [50] = nan
    assert(sum(isnan(convolve(x, ones(20)))) == 20)
    let steps = 10.0 ** arange(60) * 1e-30
    assert(allclose(convolve(steps, ones(20))[:20], cumsum(steps)[:20], rtol=1e-5, atol=0.0))
    let loss = fn(w) = sum(convolve(arange(30) * 1.0, w) ** 2)
    let half = fn(w) = sum(convolve(arange(30) * 1.0, w[:15]) ** 2)
    assert(allclose(grad(loss)(zeros(20) with [:15] = 1.0)[:15], grad(half)(ones(20))[:15]))
    let large = convolve(ones(20000), ones(20000))
    assert(large[19999] == 20000 and sum(large) == 4e8)
}

test "windows have the values of the module signal" {
    assert(
        allclose(hanning(6), signal.hann(6)) and
        hanning(1).shape == (1,) and
        hamming(0).shape == (0,),
    )
    assert(
        allclose(bartlett(5), [0, 0.5, 1, 0.5, 0]) and allclose(blackman(3), [0, 1, 0], atol=1e-6),
    )
}
