# windows: convolution and pooling; tests/oracle/module_values.pm compares with JAX.

test "a convolution is a sum over windows" {
    let x = arange(16.0).reshape(1, 4, 4, 1)
    let w = ones((3, 3, 1, 1))
    assert(allclose(windows.conv2d(x, w, padding="VALID")[0, :, :, 0], [[45, 54], [81, 90]]))
    assert(windows.conv2d(x, w).shape == (1, 4, 4, 1))
    assert(array_equal(windows.conv2d(x, w, padding="same"), windows.conv2d(x, w)))
    assert(allclose(windows.max_pool(x)[0, :, :, 0], [[5, 7], [13, 15]]))
    assert(allclose(windows.avg_pool(x)[0, :, :, 0], [[2.5, 4.5], [10.5, 12.5]]))
}

test "a convolution of one axis and of three" {
    let x = arange(6.0).reshape(1, 6, 1)
    let w = [1.0, 10.0, 100.0].reshape(3, 1, 1)
    assert(array_equal(windows.conv(x, w)[0, :, 0], [100, 210, 321, 432, 543, 54]))
    assert(array_equal(windows.conv(x, w, padding="VALID", dilation=2)[0, :, 0], [420, 531]))
    assert(
        array_equal(windows.conv(x, w, padding=((2, 0),))[0, :, 0], [0, 100, 210, 321, 432, 543]),
    )
    assert(
        array_equal(
            windows.conv(x, w, strides=2)[0, :, 0],
            windows.conv(x, w, padding=((0, 1),))[0, ::2, 0],
        ),
    )
    let cube = ones((2, 3, 4, 5, 2))
    let y = windows.conv(cube, ones((2, 2, 2, 2, 3)), padding="VALID")
    assert(y.shape == (2, 2, 3, 4, 3) and all(y == 16))
}

test "groups do not mix" {
    let x = random.normal(random.key(0), (2, 5, 4, 6))
    let w = random.normal(random.key(1), (3, 3, 2, 9))
    let y = windows.conv(x, w, groups=3)
    for g in 0..3 {
        let part = windows.conv(x[..., 2 * g:2 * g + 2], w[..., 3 * g:3 * g + 3])
        assert(allclose(y[..., 3 * g:3 * g + 3], part, atol=1e-5))
    }
}

test "conv_transpose is the transpose of conv" {
    let (x, w) =
        (random.normal(random.key(2), (1, 4, 3, 2)), random.normal(random.key(3), (3, 2, 2, 5)))
    for padding in ("SAME", "VALID") {
        let y = windows.conv_transpose(x, w, strides=2, padding=padding)
        # conv of y by the reversed kernel with exchanged features is linear with the same coefficients
        let back = fn(y) =
            windows.conv(y, swapaxes(flip(w, axis=(0, 1)), 2, 3), strides=2, padding=padding)
        let z = random.normal(random.key(4), y.shape)
        assert(back(z).shape == x.shape and allclose(sum(back(z) * x), sum(z * y), rtol=1e-4))
    }
}

test "pooling with padding, integers and halves" {
    let x = arange(9).reshape(1, 3, 3, 1) - 10
    assert(array_equal(windows.max_pool(x, padding="SAME")[0, :, :, 0], [[-6, -5], [-3, -2]]))
    assert(windows.max_pool(x).dtype == i32 and windows.avg_pool(x).dtype == f32)
    assert(
        allclose(
            windows.avg_pool(f32(x), window=2, strides=1, padding=((1, 0), (0, 0)))[0, 0, :, 0],
            [-4.75, -4.25],
        ),
    )
    assert(
        windows.max_pool(bf16(x)).dtype == bf16 and
        windows.conv(bf16(x), ones((2, 2, 1, 1), dtype=bf16)).dtype == bf16,
    )
}

test "the derivative of a greatest element is that of the first, as JAX has it" {
    let pooled = fn(x, size, step, padding) = windows.max_pool(
        x[none, :, :, none],
        window=size,
        strides=step,
        padding=padding,
    )[0, :, :, 0]
    assert(
        array_equal(grad(fn(x) = sum(pooled(x, 2, 2, "VALID")))(zeros((2, 2))), [[1, 0], [0, 0]]),
    )
    let x = [[1.0, 3.0, 3.0, 2.0], [3.0, 0.0, 3.0, 1.0], [2.0, 3.0, 3.0, 3.0], [0.0, 1.0, 2.0, 2.0]]
    let weights = arange(1.0, 10.0).reshape(3, 3)
    let slopes = [[0, 3, 3, 0], [4, 0, 11, 0], [0, 15, 9, 0], [0, 0, 0, 0]]
    let f = fn(x) = sum(weights * pooled(x, 2, 1, "VALID"))
    assert(array_equal(grad(f)(x), slopes) and array_equal(jacfwd(f)(x), slopes))
    assert(
        array_equal(
            grad(fn(x) = sum(pooled(x, 3, 2, "SAME")))(x),
            [[0, 1, 1, 0], [0, 0, 0, 0], [0, 1, 1, 0], [0, 0, 0, 0]],
        ),
    )
    let over =
        fn(x, f, start, size, padding) = sum(reduce_window(x, start, f, (size,), padding=padding))
    let slope = fn(x, f, start, size, padding) = grad(fn(x) = over(x, f, start, size, padding))(x)
    let ones = [1.0, 1.0, 0.0]
    assert(array_equal(slope(ones, maximum, -inf, 2, "VALID"), [1, 1, 0]))
    assert(array_equal(slope(ones, minimum, inf, 2, "VALID"), [1, 0, 1]))
    assert(array_equal(slope([1.0, nan, 0.0, 2.0], maximum, -inf, 2, "VALID"), [0, 1, 1, 1]))
    assert(array_equal(slope([-inf, -inf, 0.0], maximum, -inf, 2, "VALID"), [1, 0, 1]))
    assert(array_equal(slope([-inf, -inf, -inf], maximum, -inf, 3, "SAME"), [1, 1, 0]))
    assert(isnan(over([1.0, nan, 0.0], maximum, -inf, 2, "VALID")))
    assert(all(isnan(reduce_window([1.0, 2.0, 3.0], nan, maximum, (2,)))))
    assert(all(isnan(reduce_window([1.0, 2.0, 3.0], nan, minimum, (2,)))))
    let squares = fn(x) = sum(reduce_window(x, -inf, maximum, (2,)) ** 2)
    assert(array_equal(diagonal(hessian(squares)([1.0, 1.0, 6.0, 5.0])), [2, 0, 4, 0]))
    # a start that is no identity of maximum
    assert(array_equal(slope([1.0, 1.0, 6.0, 5.0], maximum, 5.0, 2, "VALID"), [0, 0, 2, 0]))
}

test "derivatives and lanes" {
    let (x, w) = (
        f64(random.normal(random.key(5), (2, 5, 4, 2))),
        f64(random.normal(random.key(6), (3, 3, 2, 3))),
    )
    let f = fn(x, w) = sum(windows.conv(x, w, strides=2) ** 2) + sum(windows.max_pool(x) ** 2)
    let d = f64(random.normal(random.key(7), x.shape))
    let h = 1e-6
    assert(
        allclose(sum(grad(f)(x, w) * d), (f(x + h * d, w) - f(x - h * d, w)) / (2 * h), rtol=1e-6),
    )
    let whole = windows.conv(x, w)
    assert(allclose(vmap(fn(one) = windows.conv(one[none], w)[0])(x), whole, atol=1e-12))
}
