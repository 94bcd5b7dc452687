# Global functions of the prelude at known places; tests/oracle/prelude_values.pm compares with JAX.

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
