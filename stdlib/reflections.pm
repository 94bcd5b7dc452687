# Inner module of linalg: QR by Householder reflections in LAPACK's packed form. Reflection i is 1 - taus[i] v @
# conj(v.T). v has zeros before index i and a 1 at index i. Its other elements are below the diagonal in column i of the
# h from geqrf.

## reflections.geqrf(a): (h f[m, n], taus f[min(m, n)]) of a f[m, n], the packed QR factors.
## r of a = q @ r is on and above the diagonal of h, and the vectors are below it. q is householder_product(h, taus).
## The vectors are reconstructed from q: 1 - q is the matrix of the vectors times an upper triangle with taus on its
## diagonal (Ballard, Demmel, Grigori et al., 2014).
fn geqrf(a) {
    let (m, n) = a.shape
    let k = min(a.shape)
    if k == 0 { return (a, zeros(0, dtype=a.dtype)) }
    let (q, r) = factors.qr(a)
    let parts = _unpivoted(eye(m, k, dtype=a.dtype) - q)
    (pad(tril(parts, -1), ((0, 0), (0, n - k))) + pad(r, ((0, m - k), (0, 0))), diagonal(parts))
}
## The LU factors of a f[m, n] with m >= n without row exchanges, packed as by factors.lu. Multipliers of a pivot that
## is 0 are 0.
let _unpivoted = custom_jvp(
    fn(a) {
        let (i, j) = (arange(a.shape[0]), arange(a.shape[1]))
        mut m = a
        for k in 0..a.shape[1] {
            let pivot = m[k, k]
            let factor = where(i > k and pivot != 0, m[:, k] / where(pivot == 0, 1, pivot), 0)
            m = m - outer(factor, where(j > k, m[k], 0))
            m = m with [:, k] = where(i > k, factor, m[:, k])
        }
        m
    },
    fn((a,), (da,)) {
        let m = _unpivoted(a)
        # Below a pivot of 0, as the last one of a real square matrix, all multipliers are 0: it counts as 1.
        (
            m,
            factors._lu_slope(where(eye(*m.shape) == 1 and m == 0, 1, m), da),
        )
    },
)

## reflections.householder_product(a, taus): the first n columns f[m, n] of the product of the reflections in a and
## taus.
## a f[m, n] and taus f[k] hold them as geqrf returns them, k <= n <= m. The product is 1 - v @ t @ conj(v.T) with a
## triangular t (Joffrain, Low, Quintana-Orti, van de Geijn and Van Zee, 2006).
fn householder_product(a, taus) {
    let (m, n) = a.shape
    let k = len(taus)
    let one = eye(m, n, dtype=a.dtype)
    if k == 0 { return one }
    let v = tril(a[:, :k], -1) + one[:, :k]
    let inverse = eye(k, dtype=a.dtype) + taus[:, none] * triu(_adjoint(v) @ v, 1)
    let t = factors.triangular(inverse, diag(taus), false, false, false)
    one - v @ (t @ _adjoint(v[:n]))
}
