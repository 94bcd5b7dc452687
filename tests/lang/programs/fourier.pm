# Fourier transforms equal sums, for every size, under vmap and grad, in loops and on devices.
print(fft.fft([1, 2, 3, 4]), fft.ifft([4, 0, 0, 0]), fft.rfft([1.0, 2, 3]))
# expect: [10+0j, -2+2j, -2+0j, -2-2j] [1+0j, 1+0j, 1+0j, 1+0j] [6+0j, -1.5+0.8660254j]
let x = random.normal(random.key(0), (4, 12))
print(
    allclose(vmap(fft.fft)(x), fft.fft(x), atol=1e-6),
    allclose(pmap(fft.fft)(x), fft.fft(x), atol=1e-6),
)
# expect: true true
mut smooth = x[0]
for i in 0..3 { smooth = fft.irfft(fft.rfft(smooth) * (arange(7) < 4), n=12) }
print(allclose(sum(smooth), sum(x[0]), atol=1e-5), smooth.dtype)
# expect: true f32
print(
    allclose(
        grad(fn(x) = sum(real(fft.fft(x)) ** 2))(x[0]),
        12 * (x[0] + flip(roll(x[0], -1))),
        rtol=1e-4,
        atol=1e-4,
    ),
)
# expect: true
print(
    fft.fft(zeros((0, 4))).shape,
    fft.fftn(x).dtype,
    fft.ifft(fft.fft(f64(x))).dtype,
    fft.fftfreq(5),
)
# expect: (0, 4) c64 c128 [0.0, 0.2, 0.4, -0.4, -0.2]
