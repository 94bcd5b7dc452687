# Images, or other arrays on regular grids.

## image.resize(x, shape, method="linear", antialias=true): x with another size along each axis, f[...] -> f[shape]. The
## points of an axis are the centers of equal parts of one interval. `method` is "nearest", "linear" (also "bilinear",
## "trilinear", "triangle"), "cubic" ("bicubic", "tricubic": Keys 1981, with a = -1/2), "lanczos3" or "lanczos5". Where
## an axis becomes shorter, the kernel is as much wider, unless antialias=false. The weights of a point have the sum 1,
## also at the edges. Axes whose size does not change are not filtered. "nearest" keeps the dtype, otherwise integers
## become floats. It is jax.image.resize. `shape` has a size for each axis of x.
fn resize(x, shape, method="linear", antialias=true) {
    let x = array(x)
    if kind(shape) != "tuple" or len(shape) != x.ndim {
        _refuse("`image.resize` needs a size for each of {_counted(x.ndim, "axis", "axes")} of {_type(x)}, got {_type(shape)}")
    }
    let shape = (_count(n, "a size of `image.resize`") for n in shape)
    for (n, m) in tuple(zip(x.shape, shape)) {
        if n == 0 and m > 0 { _refuse("`image.resize` cannot fill {shape} from {_type(x)}") }
    }
    let names = (
        "nearest",
        "linear",
        "bilinear",
        "trilinear",
        "triangle",
        "cubic",
        "bicubic",
        "tricubic",
        "lanczos3",
        "lanczos5",
    )
    let method = _option(method, "`method`", names)
    mut y = if method == "nearest" { x } else { _number(x) }
    for (axis, n) in tuple(enumerate(shape)) {
        if n != y.shape[axis] {
            y = if method == "nearest" {
                y.take(_nearest(y.shape[axis], n), axis=axis)
            } else {
                let weights =
                    _weights(y.shape[axis], n, _kernel(method), antialias, _wide(real(y)).dtype)
                _like(
                    moveaxis(
                        tensordot(_wide(y), weights, (axis, 0), precision="highest"),
                        -1,
                        axis,
                    ),
                    y,
                )
            }
        }
    }
    y
}
## The index of the point of an axis of size n nearest to each of m points.
fn _nearest(n, m) = minimum(i32(floor((arange(m, dtype=f64) + 0.5) * (n / _known(m)))), n - 1)
fn _kernel(method) {
    if method in ("cubic", "bicubic", "tricubic") { return _cubic }
    if method == "lanczos3" { return fn(d) = _lanczos(d, 3) }
    if method == "lanczos5" { return fn(d) = _lanczos(d, 5) }
    fn(d) = maximum(0, 1 - d)
}
fn _cubic(d) = where(
    d >= 2,
    0,
    where(d >= 1, ((2.5 - 0.5 * d) * d - 4) * d + 2, (1.5 * d - 2.5) * d * d + 1),
)
fn _lanczos(d, radius) = where(d > radius, 0, sinc(d) * sinc(d / radius))
## The weights [n, m] of n points in each of m points. They are computed in f64.
fn _weights(n, m, kernel, antialias, dtype) {
    let step = f64(n) / _known(m)
    let width = if antialias { maximum(step, 1) } else { 1 }
    let at = (arange(m, dtype=f64) + 0.5) * step - 0.5
    let weights = kernel(abs(at - arange(n, dtype=f64)[:, none]) / width)
    (weights / sum(weights, axis=0)).astype(dtype)
}

## image.save(path, x): Writes the picture x as a PNG file, which is replaced whole or not at all. x is [height, width]
## for gray, or [height, width, channels] with 1 channel for gray, 2 for gray and opacity, 3 for red, green and blue, 4
## also for opacity. Floats and bools are from 0 to 1, and clipped to that; NaN is 0. Integers are u8. The first row is
## at the top. Another dtype or shape is an error.
fn save(path, x) {
    let x = array(x)
    if (x.ndim != 2 and x.ndim != 3) or x.size == 0 or (x.ndim == 3 and x.shape[2] > 4) {
        _refuse("`image.save` needs a picture [height, width] or [height, width, channels] with 1 to 4 channels, got {_type(x)}")
    }
    if x.dtype != u8 and not _is_float(x) and x.dtype != bool {
        _refuse("`image.save` needs floats from 0 to 1, bools or u8, got {_type(x)}")
    }
    _write_png(path, if x.dtype == u8 { x } else { _shades(x) })
}
fn _shades(x) {
    let x = f32(x)
    u8(floor(clip(where(isnan(x), 0, x), 0, 1) * 255 + 0.5))
}

test "resize keeps linear functions, and averages where it reduces" {
    let x = arange(6.0) + zeros((2, 6))
    assert(allclose(resize(x, (2, 12))[0, 1:-1], (arange(10.0) + 0.5) / 2))
    assert(allclose(resize(x, (1, 3), antialias=false), [[0.5, 2.5, 4.5]]))
    assert(array_equal(resize([1, 2, 3, 4], (2,), method="nearest"), [2, 4]))
    for method in ("linear", "cubic", "lanczos3") {
        assert(allclose(resize(ones((5, 4)), (3, 9), method=method), 1))
    }
    assert(allclose(grad(fn(x) = resize(x, (4,))[0])([1.0, 2.0]), [1, 0]))
}

test "pictures are PNG files" {
    let shades = _shades([[-1.0, 0.0, 0.5], [1.0, 2.0, nan]])
    assert(array_equal(shades, [[0, 0, 128], [255, 255, 0]]) and shades.dtype == u8)
    save("image_test.png", [[-1.0, 0.0, 0.5], [1.0, 2.0, nan]])
    let bytes = read_bytes("image_test.png")
    save("image_test.png", shades)
    assert(array_equal(read_bytes("image_test.png"), bytes))
    assert(array_equal(bytes[:8], [137, 80, 78, 71, 13, 10, 26, 10]) and bytes[19] == 3)
    save("image_test.png", zeros((2, 2, 3)) < 1)
    assert(read_bytes("image_test.png")[25] == 2)
    remove_file("image_test.png")
    assert(not attempt(save, "image_test.png", zeros(3)).ok)
    assert(not attempt(save, "image_test.png", zeros((2, 2), dtype=i32)).ok)
    write_bytes("image_test.bin", u8([1, 255, 0]))
    assert(array_equal(read_bytes("image_test.bin"), [1, 255, 0]))
    remove_file("image_test.bin")
}
