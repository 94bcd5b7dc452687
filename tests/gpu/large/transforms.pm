# library: cuFFT
# Transforms are compared with known spectra and with their inverses. The error, relative to the root mean square of the
# spectrum, is proportional to epsilon log n. The bound is 16 epsilon log n, also for prime lengths.
import "_check_error.pm" as h

fn same(name, found, exact, most) {
    h.check_error("{name}", real(found), real(exact), most)
    h.check_error("{name} i", imag(found), imag(exact), most)
}

for (kind, dtype, sizes) in (("f32", f32, ((1, 65536), (200, 331))), ("f64", f64, ((16, 5000),))) {
    for (rows, n) in sizes {
        let most = 16 * finfo(dtype).eps * log2(f64(n)).astype(dtype)
        let name = "{kind} {rows} x {n}"
        let t = arange(n)
        # Each row is a wave whose spectrum has one nonzero element. The angle is exact until it is rounded once.
        let row = arange(rows)
        let turns = ((3 * row[:, none] + 2) * t % n).astype(f64) * (2 * pi / n)
        let wave = cos(turns).astype(dtype) + 1j * sin(turns).astype(dtype)
        let peak = where(t == (3 * row[:, none] + 2) % n, n, 0).astype(dtype)
        same("{name} waves", fft.fft(wave), peak + 0j * peak, most * sqrt(1.0 * n).astype(dtype))
        let z = h.some(1, (rows, n), dtype) + 1j * h.some(2, (rows, n), dtype)
        let spectrum = fft.fft(z)
        same("{name} there and back", fft.ifft(spectrum), z, most * h.rms(z))
        # Parseval: the power of the spectrum is n times the power of the input.
        let given = sum(abs(z) ** 2)
        h.check_error(
            "{name} power",
            sum(abs(spectrum) ** 2) / (n * given),
            ones((), dtype=dtype),
            4 * most,
        )
        let x = h.some(3, (rows, n), dtype)
        h.check_error("{name} reals", fft.irfft(fft.rfft(x), n=n), x, most)
        h.check_error("{name} in columns", real(fft.ifft(fft.fft(x.T, axis=0), axis=0)), x.T, most)
    }
}
