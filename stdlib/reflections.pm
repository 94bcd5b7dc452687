# Inner module of linalg: the parts of QR by Householder's reflections, as LAPACK keeps them. Reflection i is 1 - taus[i] v @ conj(v.T); v has zeros above its i-th
# element, which is 1, and stands below the diagonal in column i of what geqrf gives.

## reflections.geqrf(a): (h f[m, n], taus f[min(m, n)]) of a f[m, n]: r of a = q @ r on and above h's diagonal, the vectors below; q is householder_product(h, taus).
## From q, whose distance from 1 is the product of the vectors and a triangle with taus on its diagonal (Ballard, Demmel, Grigori et al., 2014).
fn geqrf(a) {
    let (m, n) = a.shape
    let k = min(a.shape)
    if k == 0 { return (a, zeros(0, dtype=a.dtype)) }
    let (q, r) = factors.qr(a)
    let parts = _unpivoted(eye(m, k, dtype=a.dtype) - q)
    (pad(tril(parts, -1), ((0, 0), (0, n - k))) + pad(r, ((0, m - k), (0, 0))), diagonal(parts))
}
## The factors of a f[m, n], m >= n, as factors.lu packs them, without exchanges of rows. A column of zeros stays as it is.
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
        # a pivot of 0, as the last one of a real square matrix, changes nothing below it
        (
            m,
            factors._lu_slope(where(eye(*m.shape) == 1 and m == 0, 1, m), da),
        )
    },
)

## reflections.householder_product(a, taus): the first n columns f[m, n] of the product of the reflections that a f[m, n] and taus f[k] hold, k <= n <= m: 1 - v @ t @ conj(v.T)
## with a triangle t (Joffrain, Low, Quintana-Orti, van de Geijn and Van Zee, 2006).
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
