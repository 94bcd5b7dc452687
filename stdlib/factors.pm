# Factors of one matrix f[m, n], and triangular systems: what linalg is made of, with derivatives of every order where nothing else is said. Small matrices are
# loops, which become one loop over a batch; larger ones in f32 and f64 are LAPACK's, where the system has it; docs/performance.md has
# the times that the sizes follow from.

## Whether a matrix is LAPACK's: of more rows or columns than `most`.
fn _large(a, most) = max(a.shape) > most and (a.dtype == f32 or a.dtype == f64) and _has_lapack()

# ---- triangular systems

## factors.triangular(t, b, lower, trans, unit): x with t @ x = b (trans: t.T @ x = b), t f[n, n] of which one triangle is read (without its diagonal when that is
## of ones, unit), b f[n] or f[n, m].
fn triangular(t, b, lower, trans, unit) {
    if b.ndim == 1 { return triangular(t, b[:, none], lower, trans, unit)[:, 0] }
    if b.size == 0 { return b }
    if _large(t, 16) { return _triangular_solve(t, b, lower, trans, unit) }
    let solve = custom_jvp(
        fn(t, b) = _by_rows(t, b, lower, trans, unit),
        fn(primals, tangents) {
            let ((t, b), (dt, db)) = (primals, tangents)
            let x = triangular(t, b, lower, trans, unit)
            (x, triangular(t, db - _read(dt, lower, trans, unit) @ x, lower, trans, unit))
        },
    )
    solve(t, b)
}
## The part of t that is read, transposed with trans.
fn _read(t, lower, trans, unit) {
    let beside = if unit { 1 } else { 0 }
    let part = if lower { tril(t, -beside) } else { triu(t, beside) }
    if trans { part.T } else { part }
}
fn _by_rows(t, b, lower, trans, unit) {
    let rows = _read(t, lower, trans, unit)
    let n = len(t)
    mut x = zeros_like(b)
    for step in 0..n {
        let k = if lower != trans { step } else { n - 1 - step }
        let rest = b[k] - rows[k] @ x
        x = x with [k] = if unit { rest } else { rest / t[k, k] }
    }
    x
}

# ---- cholesky

## factors.cholesky(a): l f[n, n], lower, with l @ l.T = a for symmetric positive a f[n, n]; NaN where a is not positive.
let cholesky = custom_jvp(
    fn(a) = if _large(a, 12) { _factorize(a, "cholesky")[0] } else { _cholesky_by_columns(a) },
    fn(primals, tangents) {
        let l = cholesky(primals[0])
        let half = triangular(l, tangents[0], true, false, false)
        let inner = triangular(l, half.T, true, false, false)
        (l, l @ (tril(inner, -1) + inner * eye(len(l), dtype=l.dtype) / 2))
    },
)
fn _cholesky_by_columns(a) {
    let i = arange(len(a))
    mut l = zeros_like(a)
    for j in 0..len(a) {
        let column = a[:, j] - l @ l[j]
        l = l with [:, j] = where(i >= j, column / sqrt(column[j]), 0)
    }
    l
}

# ---- lu

## factors.lu(a): (lu, p, sign) of a f[n, n]: l below the diagonal (ones on it) and u above, of the rows a[p], p i32[n]; sign f[] is that of the permutation. By
## Gauss's elimination with the greatest pivot of each column.
let lu = custom_jvp(
    fn(a) = if _large(a, 12) { _factorize(a, "lu") } else { _eliminated(a) },
    fn(primals, tangents) {
        let (m, p, sign) = lu(primals[0])
        let below = triangular(m, tangents[0][p], true, false, true)
        let inner = triangular(m, below.T, false, true, false).T
        let l = tril(m, -1) + eye(len(m), dtype=m.dtype)
        ((m, p, sign), (l @ tril(inner, -1) + triu(inner) @ triu(m), none, zeros_like(sign)))
    },
)
fn _eliminated(a) {
    let n = len(a)
    let i = arange(n)
    mut m = a
    mut p = arange(n)
    mut sign = ones((), dtype=a.dtype)
    for k in 0..n {
        let r = argmax(where(i >= k, abs(m[:, k]), -1))
        let (row_k, row_r, p_k, p_r) = (m[k], m[r], p[k], p[r])
        m = m with [k] = row_r with [r] = row_k
        p = p with [k] = p_r with [r] = p_k
        sign = where(r == k, sign, -sign)
        let pivot = m[k, k]
        let factor = where(i > k, m[:, k] / where(pivot == 0, 1, pivot), 0)
        m = m - outer(factor, where(i > k, m[k], 0))
        m = m with [:, k] = where(i > k, factor, m[:, k])
    }
    (m, p, sign)
}

## factors.solve(a, b): x with a @ x = b, a f[n, n], b f[n] or f[n, m]. Infinities and NaN where a is singular.
fn solve(a, b) {
    if b.size == 0 { return b }
    let (m, p, _) = lu(a)
    triangular(m, triangular(m, b[p], true, false, true), false, false, false)
}

# ---- qr

## factors.qr(a): (q f[m, k], r f[k, n]), k = min(m, n), a = q @ r; Householder's reflections. The derivatives of large matrices are NaN where the first k columns
## depend on each other.
fn qr(a) {
    let (m, n) = a.shape
    if _large(a, 24) {
        if m >= n { return _tall_qr(a) }
        let (q, r) = _tall_qr(a[:, :m])
        return (q, concatenate((r, q.T @ a[:, m:]), axis=1))
    }
    let k = min(a.shape)
    let (q, r) = _reflected(a)
    (q[:, :k], triu(r[:k]))
}
let _tall_qr = custom_jvp(
    fn(a) = _factorize(a, "qr"),
    fn(primals, tangents) {
        let (q, r) = _tall_qr(primals[0])
        let change = triangular(r, tangents[0].T, false, true, false).T
        let inner = q.T @ change
        let turn = tril(inner, -1) - tril(inner, -1).T
        ((q, r), (change + q @ (turn - inner), (inner - turn) @ r))
    },
)
## factors.complete(a): q f[m, m] of qr, orthogonal also where columns of a f[m, n] are 0; its derivatives are NaN.
fn complete(a) {
    let b = stop_gradient(a)
    let q = if _large(b, 24) { _factorize(b, "qr", true)[0] } else { _reflected(b)[0] }
    q + _without_derivative(sum(a))
}
## 0, whose derivative by x is NaN.
fn _without_derivative(x) {
    let zero = x - stop_gradient(x)
    sqrt(zero * zero)
}
## factors.complete_qr(a): (q f[m, m], r f[m, n]), a = q @ r; the derivatives of the last m - n columns of q are NaN.
fn complete_qr(a) {
    let (m, n) = a.shape
    let (q, r) = qr(a)
    if m <= n { return (q, r) }
    (
        concatenate((q, complete(a)[:, n:]), axis=1),
        concatenate((r, zeros((m - n, n), dtype=r.dtype))),
    )
}
## (q f[m, m], r f[m, n]) with a = q @ r.
fn _reflected(a) {
    let (m, n) = a.shape
    let k = min((m, n))
    let i = arange(m)
    mut r = a
    mut q = eye(m, dtype=a.dtype)
    for j in 0..k {
        let x = where(i >= j, r[:, j], 0)
        let below = sum(where(i > j, x * x, 0))
        let reflect = below > 0
        let length = sqrt(where(reflect, below + x[j] * x[j], 1))
        let head = where(x[j] < 0, x[j] - length, x[j] + length)
        let v = where(i == j, head, x)
        let scale = where(reflect, 2 / where(reflect, sum(v * v), 1), 0)
        r = r - scale * outer(v, v @ r)
        q = q - scale * outer(q @ v, v)
    }
    (q, r)
}

# ---- eigenvalues and singular values

## x / gap, NaN where there is no gap between values like w to rounding.
fn _by_gap(x, gap, w) = x / where(abs(gap) <= finfo(w).eps ** 2 * max(abs(w)), nan, gap)

## factors.eigen(a): (w f[n] increasing, v f[n, n] with the vectors in columns) of symmetric a f[n, n]; Jacobi's rotations. The derivatives of vectors are NaN
## where two values are equal.
let eigen = custom_jvp(
    fn(a) = if _large(a, 4) { _factorize(a, "eigh") } else { _rotated(a) },
    fn(primals, tangents) {
        let (w, v) = eigen(primals[0])
        let turned = v.T @ tangents[0] @ v
        let beside = eye(len(w)) == 0
        let gap = where(beside, w - w[:, none], 1)
        ((w, v), (diagonal(turned), v @ where(beside, _by_gap(turned, gap, w), 0)))
    },
)
fn _rotated(a) {
    let n = len(a)
    mut m = a
    mut v = eye(n, dtype=a.dtype)
    for _ in 0.._sweeps(a) {
        for i in 0..n * n {
            let (p, q) = (i // n, i % n)
            if p < q {
                let (c, s) = _rotation(m[p, p], m[p, q], m[q, q])
                let (row_p, row_q) = (m[p], m[q])
                m = m with [p] = c * row_p - s * row_q with [q] = s * row_p + c * row_q
                let (col_p, col_q) = (m[:, p], m[:, q])
                m = m with [:, p] = c * col_p - s * col_q with [:, q] = s * col_p + c * col_q
                let (v_p, v_q) = (v[:, p], v[:, q])
                v = v with [:, p] = c * v_p - s * v_q with [:, q] = s * v_p + c * v_q
            }
        }
    }
    let w = diagonal(m)
    let order = argsort(w)
    (w[order], v[:, order])
}

## factors.singular(a): (u f[m, n], s f[n] decreasing, v f[n, n]) with a = u * s @ v.T, m >= n; Jacobi's rotations of columns, which leave 0 for the columns of u
## where s is 0. The derivatives of vectors are NaN where two values are equal, or one is 0 and m is not n.
let singular = custom_jvp(
    fn(a) {
        if not _large(a, 8) { return _rotated_columns(a) }
        let (u, s, vt) = _factorize(a, "svd")
        (u, s, vt.T)
    },
    fn(primals, tangents) {
        let ((a,), (da,)) = (primals, tangents)
        let (u, s, v) = singular(a)
        let turned = u.T @ da @ v
        let beside = eye(len(s)) == 0
        let gap = where(beside, (s - s[:, none]) * (s + s[:, none]), 1)
        let of_gap = fn(x) = where(beside, _by_gap(x, gap, s * s), 0)
        # a change also goes out of the space of u, unless u is square
        let out = if u.shape[0] == u.shape[1] { 0 * u } else { _by_gap(da @ v - u @ turned, s, s) }
        let (x, y) = (turned * s, turned.T * s)
        ((u, s, v), (u @ of_gap(x + x.T) + out, diagonal(turned), v @ of_gap(y + y.T)))
    },
)
fn _rotated_columns(a) {
    let n = a.shape[1]
    mut b = a
    mut v = eye(n, dtype=a.dtype)
    for _ in 0.._sweeps(a) {
        for i in 0..n * n {
            let (p, q) = (i // n, i % n)
            if p < q {
                let (x, y) = (b[:, p], b[:, q])
                let (c, s) = _rotation(sum(x * x), sum(x * y), sum(y * y))
                b = b with [:, p] = c * x - s * y with [:, q] = s * x + c * y
                let (v_p, v_q) = (v[:, p], v[:, q])
                v = v with [:, p] = c * v_p - s * v_q with [:, q] = s * v_p + c * v_q
            }
        }
    }
    let s = sqrt(sum(b * b, axis=0))
    let order = argsort(-s)
    let u = b / where(s == 0, 1, s)
    (u[:, order], s[order], v[:, order])
}

fn _sweeps(a) = if a.dtype == f64 { 14 } else { 10 }

## Cosine and sine of the rotation that makes the element b of ((a, b), (b, d)) zero.
fn _rotation(a, b, d) {
    let safe = where(b == 0, 1, b)
    let theta = (d - a) / (2 * safe)
    let t = where(theta < 0, -1.0, 1.0) / (abs(theta) + sqrt(theta * theta + 1))
    let c = 1 / sqrt(t * t + 1)
    (where(b == 0, 1, c), where(b == 0, 0, t * c))
}

test "large and small matrices: the factors make the matrix" {
    for n in (3, 50) {
        let b = random.normal(random.key(n), (n, n), dtype=f64)
        let a = b @ b.T + eye(n)
        let l = cholesky(a)
        assert(allclose(l @ l.T, a) and all(triu(l, 1) == 0))
        let (m, p, sign) = lu(b)
        assert(allclose((tril(m, -1) + eye(n)) @ triu(m), b[p]) and abs(sign) == 1)
        assert(allclose(b @ solve(b, b[:, 0]), b[:, 0]))
        for c in (b, b[:, :2], b[:2]) {
            let (q, r) = qr(c)
            assert(
                allclose(q @ r, c) and allclose(q.T @ q, eye(q.shape[1])) and all(tril(r, -1) == 0),
            )
            let (q, r) = complete_qr(c)
            assert(allclose(q @ r, c) and allclose(q.T @ q, eye(len(c))) and r.shape == c.shape)
        }
        let (w, v) = eigen(a)
        assert(allclose(a @ v, v * w) and all(diff(w) >= 0))
        let (u, s, v) = singular(b[:, :2])
        assert(allclose(u * s @ v.T, b[:, :2]) and s[0] >= s[1])
    }
}

test "triangular systems, all four ways" {
    for n in (4, 40) {
        let t = random.normal(random.key(n), (n, n), dtype=f64) / 8 + 2 * eye(n)
        let b = random.normal(random.key(1), (n, 2), dtype=f64)
        for lower in (false, true) {
            for trans in (false, true) {
                for unit in (false, true) {
                    let read =
                        _read(t, lower, trans, unit) + if unit { eye(n) } else { zeros((n, n)) }
                    assert(allclose(read @ triangular(t, b, lower, trans, unit), b))
                }
            }
        }
    }
}

test "the derivatives of large matrices are those of small ones" {
    # a block of 34 beside one of 3, so that what is asked of the small one can be asked of the large one
    let n = 3
    let b = random.normal(random.key(5), (n, n), dtype=f64) + 3 * eye(n)
    let wide = fn(a) = linalg.block_diag(a, eye(34, dtype=f64))
    let sizes = (
        fn(f) = fn(a) = f(a)[:n, :n],
        fn(f) = fn(a) = f(wide(a))[:n, :n],
    )
    let symmetric = fn(a) = a @ a.T
    for f in (
        fn(a) = cholesky(symmetric(a)),
        fn(a) = lu(a)[0],
        fn(a) = solve(a, sin(a)),
        fn(a) = triangular(a, sin(a), true, true, false),
        fn(a) = qr(a)[0] + qr(a)[1],
    ) {
        let losses = (fn(a) = sum(sin(sizes[0](f)(a)) ** 2), fn(a) = sum(sin(sizes[1](f)(a)) ** 2))
        let twice = (grad(fn(a) = sum(cos(grad(one)(a))))(b) for one in losses)
        assert(allclose(grad(losses[0])(b), grad(losses[1])(b)))
        assert(allclose(twice[0], twice[1]))
        assert(allclose(jacfwd(losses[0])(b), grad(losses[1])(b)))
        let batch = stack((b, 2 * b))
        assert(allclose(vmap(grad(losses[0]))(batch), vmap(grad(losses[1]))(batch)))
    }
}
