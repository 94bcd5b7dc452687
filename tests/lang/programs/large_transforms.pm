# Fourier transforms that are large enough for a GPU's library. They are compared with transforms that are computed as
# products, with their inverses, and with known values.
fn near(a, b, most) = max(abs(a - b)) <= most * (1 + max(abs(b)))
fn wave(rows, columns) {
    let i = arange(rows * columns, dtype=f64).reshape(rows, columns)
    complex(sin(0.7 * i), cos(1.3 * i))
}
let x = wave(512, 128)

# along each axis, and the inverse transform
for (a, most) in ((x, 1e-12), (c64(x), 1e-5)) {
    for axis in (0, 1) {
        let y = fft.fft(a, axis=axis)
        print(near(fft.ifft(y, axis=axis), a, most), y.dtype)
    }
    print(near(fft.fft2(a), fft.fft(fft.fft(a, axis=0), axis=1), most))
}
# the transform of a few rows is computed as a product with the matrix of the transform
print(near(fft.fft(x)[:3], fft.fft(x[:3]), 1e-12))
let whole = x.reshape(65536)
let parts = fft.fft(whole)
print(
    near(parts[0], sum(whole), 1e-9),
    near(sum(abs(parts) ** 2), 65536 * sum(abs(whole) ** 2), 1e-12),
)
# transforms of real data
let real_part = real(whole)
print(near(fft.irfft(fft.rfft(real_part)), real_part, 1e-12))
# transforms of rows whose size is a prime
let odd = wave(650, 101)
print(near(fft.ifft(fft.fft(odd)), odd, 1e-12), near(fft.fft(odd)[7], fft.fft(odd[7]), 1e-12))
# derivatives and batches of transforms
let energy = grad(fn(a) = sum(abs(fft.fft(complex(a, 0 * a))) ** 2))(real(x))
print(near(energy, 256 * real(x), 1e-12))
print(near(vmap(fft.fft)(x), fft.fft(x), 1e-12))
# transforms in a loop
fn again(x) {
    mut y = x
    for _ in 0..3 { y = fft.fft(y) / sqrt(128.0) }
    y
}
print(near(fft.ifft(again(x)) * sqrt(128.0), fft.fft(fft.fft(x)) / 128, 1e-12))
# expect: true c128
# expect: true c128
# expect: true
# expect: true c64
# expect: true c64
# expect: true
# expect: true
# expect: true true
# expect: true
# expect: true true
# expect: true
# expect: true
# expect: true
