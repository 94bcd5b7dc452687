# psum_scatter: the parts of psum, to the bit, for each type and number of slices.
# devices: 4
for t in (f32, bf16, f16, f64, i32, c64) {
    let x = (random.uniform(random.key(3), (4, 8, 6)) * 100.0 - 50.0)
    let y = if t == c64 { c64(x) * (1.0 + 0.3j) } else { t(x) }
    let f = pmap(fn(v) = psum_scatter(v, "i", tiled=true), axis_name="i")
    let g = pmap(fn(v) = psum_scatter(v[:4], "i"), axis_name="i")
    let h = pmap(fn(v) = psum(v, "i"), axis_name="i")
    print(t, array_equal(f(y).reshape(8, 6), h(y)[0]), array_equal(g(y), h(y)[0][:4]), f(y).reshape(-1)[5])
}
# two slices of a device, and a gradient
let x = random.uniform(random.key(4), (8, 16, 3))
let f = pmap(fn(v) = psum_scatter(v, "i", tiled=true), axis_name="i")
let h = pmap(fn(v) = psum(v, "i"), axis_name="i")
print(array_equal(f(x).reshape(16, 3), h(x)[0]), f(bf16(x)).reshape(-1)[5])
print(allclose(grad(fn(x) = sum(sin(f(x))))(x), cos(h(x))))
# an uneven number of slices
print(pmap(fn(v) = psum_scatter(v, "i", tiled=true), axis_name="i", uneven=true)(x[:6, :12]).reshape(-1)[5])
# large values, which processes send in parts; NaNs and zeros with a sign
let x = random.normal(random.key(5), (4, 1200000))
let x = where(x > 2.0, nan, where(x < -2.0, -0.0, x))
let parts = pmap(fn(v) = psum_scatter(v, "i", tiled=true), axis_name="i")(x).reshape(-1)
let sum = pmap(fn(v) = psum(v, "i"), axis_name="i", out_axes=none)(x)
print(array_equal(isnan(parts), isnan(sum)), array_equal(nan_to_num(parts), nan_to_num(sum)))

# expect: f32 true true 76.42566
# expect: bf16 true true 76.5
# expect: f16 true true 76.44
# expect: f64 true true 76.4256591796875
# expect: i32 true true 76
# expect: c64 true true 76.42566+22.9277j
# expect: true 3.44
# expect: true
# expect: 2.5616808
# expect: true true
