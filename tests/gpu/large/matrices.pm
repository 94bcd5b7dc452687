# library: cuSOLVER cuBLAS
# Products of factors, or of solutions, are compared with the original matrices, in the highest precision. A stable algorithm
# has a residual of a few n * epsilon of the norm, and a similar error of orthogonality. The bound is 8 n epsilon.
import "_check_error.pm" as h

fn adjoint(a) = conj(a.swapaxes(-1, -2))
fn times(a, b) = matmul(a, b, precision="highest")
fn norm(a) = sqrt(sum(abs(a) ** 2, axis=(-2, -1), keepdims=true))
## Compares real and imaginary parts separately.
fn same(name, found, exact, most) {
    h.check_error("{name}", real(found), real(exact), most)
    if found.dtype == c64 or found.dtype == c128 {
        h.check_error("{name} i", imag(found), imag(exact), most)
    }
}
fn orthogonal(name, q, most) {
    let one = eye(q.shape[-1], dtype=q.dtype)
    same(name, times(adjoint(q), q), broadcast_to(one, q.shape[:-2] + one.shape), most)
}

fn factors(kind, a, epsilon) {
    let (n, m) = (a.shape[-2], a.shape[-1])
    let most = 8 * n * epsilon
    let square = a[..., :m, :m]
    let positive = times(square, adjoint(square)) + eye(m, dtype=a.dtype)
    let own = square + adjoint(square)

    let l = linalg.cholesky(positive)
    same("{kind} cholesky", times(l, adjoint(l)), positive, most * norm(positive))
    let (q, r) = linalg.qr(a)
    same("{kind} qr", times(q, r), a, most * norm(a))
    orthogonal("{kind} q", q, most)
    let (w, v) = linalg.eigh(own)
    same("{kind} eigh", times(v * w[..., none, :], adjoint(v)), own, most * norm(own))
    orthogonal("{kind} vectors", v, most)
    let (u, s, vh) = linalg.svd(a, full_matrices=false)
    same("{kind} svd", times(u * s[..., none, :], vh), a, most * norm(a))
    orthogonal("{kind} u", u, most)
    orthogonal("{kind} v", adjoint(vh), most)
    assert(all(s >= 0) and all(s[..., 1:] <= s[..., :-1]), "{kind}: singular values out of order")
    let b = a.swapaxes(-1, -2)
    let x = linalg.solve(positive, b)
    same("{kind} solve", times(positive, x), b, most * (norm(positive) * norm(x) + norm(b)))
    let t = linalg.solve_triangular(l, b, lower=true)
    same("{kind} triangular", times(l, t), b, most * (norm(l) * norm(t) + norm(b)))
}

let (tall, more) = ((170, 120), (2, 150, 110))
factors("f64", h.some(1, tall, f64), finfo(f64).eps)
factors("f32", h.some(2, tall), finfo(f32).eps)
factors("c64", h.some(3, tall) + 1j * h.some(4, tall), finfo(f32).eps)
factors("c128", h.some(5, tall, f64) + 1j * h.some(6, tall, f64), finfo(f64).eps)
factors("f32 batch", h.some(7, more), finfo(f32).eps)

# If a matrix has no factors, they are NaN; the other matrix of the batch has its factors.
let square = h.some(8, (2, 110, 110), f64)
let positive = times(square, adjoint(square)) + eye(110, dtype=f64)
let wrong = positive with [0, 60, 60] = -1.0
let l = linalg.cholesky(wrong)
assert(all(isnan(diagonal(l[0]))), "a matrix that is not positive has factors")
h.check_error(
    "its neighbour",
    times(l[1], l[1].T),
    positive[1],
    8 * 110 * finfo(f64).eps * norm(positive[1]),
)
