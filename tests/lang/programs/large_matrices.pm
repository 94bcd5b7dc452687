# Factors of matrices that are large enough for a GPU's library, compared with the original matrices.
fn near(a, b, most) = max(abs(a - b)) <= most * (1 + max(abs(b)))
fn wave(rows, columns, from) =
    sin(arange(rows * columns, dtype=f64) ** 1.5 + from).reshape(rows, columns)
fn adjoint(a) = conj(a.swapaxes(-1, -2))

fn factors(a, most) {
    let (n, m) = (a.shape[-2], a.shape[-1])
    let square = a[..., :m, :m]
    let positive = square @ adjoint(square) + 2 * eye(m, dtype=a.dtype)
    let own = square + adjoint(square)
    let l = linalg.cholesky(positive)
    print("cholesky", near(l @ adjoint(l), positive, most), all(triu(l, 1) == 0))
    let (q, r) = linalg.qr(a)
    print(
        "qr",
        near(q @ r, a, most),
        near(adjoint(q) @ q, eye(m, dtype=a.dtype), most),
        max(abs(imag(diagonal(r, axis1=-2, axis2=-1)))) <= most,
    )
    let (whole, upper) = linalg.qr(a, mode="complete")
    print(
        "complete",
        near(whole @ upper, a, most),
        near(adjoint(whole) @ whole, eye(n, dtype=a.dtype), most),
    )
    let (w, v) = linalg.eigh(own)
    print("eigh", near(own @ v, v * w[..., none, :], most), all(w[..., 1:] >= w[..., :-1]))
    for (name, b) in (("tall", a), ("wide", adjoint(a))) {
        let (u, s, vh) = linalg.svd(b, full_matrices=false)
        print(
            "svd",
            name,
            near((u * s[..., none, :]) @ vh, b, most),
            all(s[..., 1:] <= s[..., :-1]),
            near(adjoint(u) @ u, eye(m, dtype=a.dtype), most),
        )
        let (more, _, rows) = linalg.svd(b, full_matrices=true)
        print(
            "full",
            near(adjoint(more) @ more, eye(more.shape[-1], dtype=a.dtype), most),
            near(rows @ adjoint(rows), eye(rows.shape[-1], dtype=a.dtype), most),
        )
    }
    let x = a.swapaxes(-1, -2)
    print(
        "solve",
        near(positive @ linalg.solve(positive, x), x, most),
        near(linalg.inv(positive) @ positive, eye(m, dtype=a.dtype), most),
    )
    let (sign, size) = linalg.slogdet(positive)
    print(
        "det",
        near(sign, ones_like(sign), most),
        near(size, 2 * sum(log(real(diagonal(l, axis1=-2, axis2=-1))), axis=-1), most),
    )
}

factors(wave(104, 60, 1.0), 1e-12)
factors(f32(wave(104, 60, 2.0)), 1e-4)
factors(complex(wave(70, 50, 3.0), wave(70, 50, 4.0)), 1e-12)
factors(c64(complex(wave(70, 50, 5.0), wave(70, 50, 6.0))), 1e-4)

# a batch of a matrix that has a Cholesky factor and one that has none
let a = wave(110, 110, 7.0)
let positive = a @ a.T + 2 * eye(110)
let both = linalg.cholesky(stack((positive, positive - 1000 * eye(110))))
print(any(isnan(both), axis=(1, 2)), sum(triu(nan_to_num(both[1]), 1)))
let broken = stack((positive, positive with [3, 5] = nan))
print(any(isnan(linalg.eigh(broken)[0]), axis=1), any(isnan(linalg.svd(broken)[1]), axis=1))
# a singular matrix
print(linalg.det(a with [:, 4] = 0))
# derivatives are computed from the same factors
let slope = grad(fn(x) = linalg.slogdet(x)[1])(positive)
print(near(slope, linalg.inv(positive), 1e-10))
# expect: cholesky true true
# expect: qr true true true
# expect: complete true true
# expect: eigh true true
# expect: svd tall true true true
# expect: full true true
# expect: svd wide true true true
# expect: full true true
# expect: solve true true
# expect: det true true
# expect: cholesky true true
# expect: qr true true true
# expect: complete true true
# expect: eigh true true
# expect: svd tall true true true
# expect: full true true
# expect: svd wide true true true
# expect: full true true
# expect: solve true true
# expect: det true true
# expect: cholesky true true
# expect: qr true true true
# expect: complete true true
# expect: eigh true true
# expect: svd tall true true true
# expect: full true true
# expect: svd wide true true true
# expect: full true true
# expect: solve true true
# expect: det true true
# expect: cholesky true true
# expect: qr true true true
# expect: complete true true
# expect: eigh true true
# expect: svd tall true true true
# expect: full true true
# expect: svd wide true true true
# expect: full true true
# expect: solve true true
# expect: det true true
# expect: [false, true] 0.0
# expect: [false, true] [false, true]
# expect: 0.0
# expect: true
