# Factors and transforms in lanes. If there are several GPUs, the library of each lane's GPU computes them.
# devices: 4
fn wave(rows, columns, from) =
    sin(arange(rows * columns, dtype=f64) ** 1.5 + from).reshape(rows, columns)
let n = 40
let a = stack([wave(n, n, f64(i)) for i in 0..8])
let positive = a @ a.swapaxes(1, 2) + 2.0 * eye(n, dtype=f64)

fn step(a, b) {
    let l = linalg.cholesky(a)
    let x = linalg.solve(a, b)
    (l, x, pmean(x, "lanes"))
}
let b = wave(n, 3, 0.5)
let (l, x, average) = pmap(step, axis_name="lanes", in_axes=(0, none))(positive, b)
print(l.shape, max(abs(l @ l.swapaxes(1, 2) - positive)) < 1e-10)
print(x.shape, max(abs(positive @ x - b)) < 1e-10)
print(max(abs(average - mean(x, axis=0))) < 1e-12)

# the results that a lane's library computed are sent to the next lane
let (w, v) = pmap(
    fn(a) {
        let (w, v) = linalg.eigh(a)
        ppermute((w, v), "lanes", ((i, (i + 1) % 8) for i in tuple(0..8)))
    },
    axis_name="lanes",
)(positive)
let before = concatenate((positive[7:], positive[:7]))
print(max(abs(before @ v - v * w[:, none, :])) < 1e-10)

# derivatives of factors
let slope = pmap(fn(a) = grad(fn(a) = linalg.slogdet(a)[1])(a), axis_name="lanes")(positive)
print(max(abs(slope @ positive.swapaxes(1, 2) - eye(n, dtype=f64))) < 1e-9)

# Fourier transforms
let waves = wave(8, 70000, 0.25)
let found = pmap(fn(x) = fft.ifft(fft.fft(x) * 2.0), axis_name="lanes")(waves)
print(max(abs(real(found) - 2.0 * waves)) < 1e-9, max(abs(imag(found))) < 1e-9)

# expect: (8, 40, 40) true
# expect: (8, 40, 3) true
# expect: true
# expect: true
# expect: true
# expect: true true
