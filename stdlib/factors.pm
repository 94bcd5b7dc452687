# Inner module of linalg: factors of one matrix f[m, n] and triangular systems, with which linalg is written. They have
# derivatives of every order unless a comment says otherwise. Small matrices use loops, which become one loop over a
# batch. Larger ones in f32, f64, c64 and c128 use LAPACK where the system has it. docs/performance.md has the times
# from which the limits follow. Real and complex matrices share the code: conj and real of a real array are that array.

## Whether a library, LAPACK or that of the device, factorizes the matrix: more than `most` rows or columns, and
## elements of f32, f64, c64 or c128. The result is known at compile time, so that only one form is compiled.
fn _large(a, most) {
    let (rows, columns) = a.shape
    a.size > 0 and
        (rows > _known(most) or columns > _known(most)) and
        (_real_dtype(a) == f32 or _real_dtype(a) == f64) and
        _has_factors(if rows > columns { rows } else { columns })
}

# ---- triangular systems

## factors.triangular(t, b, lower, trans, unit): x with t @ x = b for a triangular t f[n, n].
## With `trans` it is t.T @ x = b, without conjugation. Only the lower (if `lower`) or upper triangle of t is read. If
## `unit` the diagonal counts as ones and is not read. b is f[n] or f[n, m].
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
## The triangle of t that is read, without its diagonal if `unit`, transposed if `trans`.
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

## factors.cholesky(a): the lower triangular l f[n, n] with l @ conj(l.T) = a.
## a f[n, n] is symmetric, or complex and equal to its conjugate transpose. The diagonal of l is real. Where
## a is not positive definite, the lower triangle of l is NaN.
let cholesky = custom_jvp(
    fn(a) = if _large(a, 12) { _factorize(a, "cholesky")[0] } else { _cholesky_by_columns(a) },
    fn(primals, tangents) {
        let l = cholesky(primals[0])
        let half = triangular(l, tangents[0], true, false, false)
        let inner = triangular(l, _adjoint(half), true, false, false)
        (l, l @ (tril(inner, -1) + real(inner) * eye(len(l), dtype=_real_dtype(l)) / 2))
    },
)
fn _cholesky_by_columns(a) {
    let i = arange(len(a))
    mut l = zeros_like(a)
    for j in 0..len(a) {
        let column = a[:, j] - l @ conj(l[j])
        l = l with [:, j] = where(i >= j, column / sqrt(real(column[j])), 0)
    }
    let x = real(l)
    let nothing = tril(full_like(x, 0 * sum(diagonal(x))))  # a NaN on the diagonal makes the lower triangle NaN
    if iscomplexobj(l) { complex(x + nothing, tril(imag(l), -1) + nothing) } else { l + nothing }
}

# ---- lu

## factors.lu(a): (lu, p, sign) of a f[m, n] with m >= n, where l @ u = a[p].
## `lu` f[m, n] holds u on and above the diagonal, and below it l, whose diagonal of ones is not stored. p is i32[m].
## `sign` f[] is the sign of the permutation, real. The algorithm is Gaussian elimination with partial pivoting.
let lu = custom_jvp(
    fn(a) = if a.shape[0] == a.shape[1] and _large(a, 12) {
        _factorize(a, "lu")
    } else {
        _eliminated(a)
    },
    fn(primals, tangents) {
        let (m, p, sign) = lu(primals[0])
        ((m, p, sign), (_lu_slope(m, tangents[0][p]), none, zeros_like(sign)))
    },
)
## The derivative of the packed factors m f[m, n] of l @ u where l @ u changes by `change`, for m >= n.
fn _lu_slope(m, change) {
    let n = m.shape[1]
    let square = m[:n]
    let below = triangular(square, change[:n], true, false, true)
    let inner = triangular(square, below.T, false, true, false).T
    let l = tril(square, -1) + eye(n, dtype=m.dtype)
    let du = triu(inner) @ triu(square)
    let first = l @ tril(inner, -1) + du
    if len(m) == n { return first }
    let rest = triangular(square, (change[n:] - m[n:] @ du).T, false, true, false).T
    concatenate((first, rest))
}
## factors.rectangular_lu(a): (lu, p, sign) as in factors.lu, of a f[m, n] of any shape.
## l is below the diagonal in the first k = min(m, n) columns, u on and above it in the first k rows. The derivatives
## are unbounded where the first k columns of the first k rows of a[p] are linearly dependent.
fn rectangular_lu(a) {
    let (m, n) = a.shape
    if m >= n { return lu(a) }
    let (left, p, sign) = lu(a[:, :m])
    (concatenate((left, triangular(left, a[p, m:], true, false, true)), axis=1), p, sign)
}
## The size by which pivots are compared: |x|, and |real| + |imag| for complex x, as in LAPACK.
fn _size(x) = if iscomplexobj(x) { abs(real(x)) + abs(imag(x)) } else { abs(x) }
fn _eliminated(a) {
    let (rows, columns) = a.shape
    let (i, j) = (arange(rows), arange(columns))
    mut m = a
    mut p = i
    mut sign = ones((), dtype=_real_dtype(a))
    for k in 0..min(a.shape) {
        let r = argmax(where(i >= k, _size(m[:, k]), -1))
        let (row_k, row_r, p_k, p_r) = (m[k], m[r], p[k], p[r])
        m = m with [k] = row_r with [r] = row_k
        p = p with [k] = p_r with [r] = p_k
        sign = where(r == k, sign, -sign)
        let pivot = m[k, k]
        let factor = where(i > k, m[:, k] / where(pivot == 0, 1, pivot), 0)
        m = m - outer(factor, where(j > k, m[k], 0))
        m = m with [:, k] = where(i > k, factor, m[:, k])
    }
    (m, p, sign)
}

## factors.solve(a, b): x with a @ x = b, a f[n, n], b f[n] or f[n, m]. Infinities and NaN where a is singular.
fn solve(a, b) {
    if b.size == 0 { return b }
    let (m, p, _) = lu(a)
    _solved(a, b, m, p)
}
## x with a @ x = b, given the factors m and row indices p of a. The rule gets the derivative with respect to a from `a`
## alone and ignores the tangent of m. Higher derivatives also differentiate the triangular systems of the rule, and
## these follow m.
let _solved = custom_jvp(
    fn(a, b, m, p) = triangular(m, triangular(m, b[p], true, false, true), false, false, false),
    fn(primals, tangents) {
        let ((a, b, m, p), (da, db, _, _)) = (primals, tangents)
        let x = _solved(a, b, m, p)
        (x, _solved(a, db - da @ x, m, p))
    },
)

# ---- qr

## factors.qr(a): (q f[m, k], r f[k, n]) with a = q @ r, k = min(m, n), by Householder reflections.
## The diagonal of r is real. The derivatives of large matrices are unbounded where the first k columns are linearly
## dependent.
fn qr(a) {
    let (m, n) = a.shape
    if _large(a, 24) {
        if m >= n { return _tall_qr(a) }
        let (q, r) = _tall_qr(a[:, :m])
        return (q, concatenate((r, _adjoint(q) @ a[:, m:]), axis=1))
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
        let inner = _adjoint(q) @ change
        let turn = _turn(inner)
        ((q, r), (change + q @ (turn - inner), (inner - turn) @ r))
    },
)
## The skew-Hermitian t for which x f[n, n] minus t is upper triangular with a real diagonal.
fn _turn(x) {
    let turn = tril(x, -1) - _adjoint(tril(x, -1))
    if iscomplexobj(x) { turn + (x - real(x)) * eye(len(x), dtype=_real_dtype(x)) } else { turn }
}
## factors.completed(q): q f[m, k] with orthonormal columns, extended by m - k orthonormal columns to f[m, m].
## The derivatives of the added columns lie in the span of q, which is the least change. They give correct derivatives
## of all functions of the space that the added columns span.
fn completed(q) = if q.shape[0] == q.shape[1] { q } else { concatenate((q, _beside(q)), axis=1) }
let _beside = custom_jvp(
    fn(q) = (if _large(q, 24) { _factorize(q, "qr", true)[0] } else { _reflected(q)[0] })[
        :,
        q.shape[1]:,
    ],
    fn(primals, tangents) {
        let q = primals[0]
        let more = _beside(q)
        (more, -q @ (_adjoint(tangents[0]) @ more))
    },
)
## factors.complete_qr(a): (q f[m, m], r f[m, n]) with a = q @ r. r has zeros below its first min(m, n) rows.
fn complete_qr(a) {
    let (m, n) = a.shape
    let (q, r) = qr(a)
    if m <= n { return (q, r) }
    (completed(q), concatenate((r, zeros((m - n, n), dtype=r.dtype))))
}
## (q f[m, m], r f[m, n]) with a = q @ r by Householder reflections, the diagonal of r real. Below it r has rounding
## errors.
fn _reflected(a) {
    let (m, n) = a.shape
    let k = min((m, n))
    let i = arange(m)
    mut r = a
    mut q = eye(m, dtype=a.dtype)
    for j in 0..k {
        let x = where(i >= j, r[:, j], 0)
        let below = sum(where(i > j, _squares(x), 0))
        let reflect = if iscomplexobj(a) { below > 0 or imag(x[j]) != 0 } else { below > 0 }
        let length = sqrt(where(reflect, below + _squares(x[j]), 1))
        let head = where(real(x[j]) < 0, x[j] - length, x[j] + length)
        let v = where(i == j, head, x)
        let scale = where(reflect, 2 / where(reflect, _weight(v, x, j, length), 1), 0)
        r = r - conj(scale) * outer(v, conj(v) @ r)
        q = q - scale * outer(q @ v, conj(v))
    }
    if iscomplexobj(r) { r = complex(real(r), where(i[:, none] == arange(n), 0, imag(r))) }
    (q, r)
}
## |v|^2, for which the elements of the reflected vector x - 2 v (v . x) / |v|^2 after index j are 0. For complex x an
## imaginary part is added, which makes the element at index j real.
fn _weight(v, x, j, length) {
    let weight = sum(_squares(v))
    if not iscomplexobj(v) { return weight }
    complex(weight, 2 * where(real(x[j]) < 0, length, -length) * imag(x[j]))
}

# ---- eigenvalues and singular values

## x / gap, NaN where |gap| <= eps^2 max(|w|), which means that two of the values w are equal.
fn _by_gap(x, gap, w) = x / where(abs(gap) <= finfo(w).eps ** 2 * max(abs(w)), nan, gap)

## factors.eigen(a): (w f[n], v f[n, n]), the eigenvalues and eigenvectors of a f[n, n], by Jacobi rotations.
## a equals its conjugate transpose. w is real and increasing, and the eigenvectors are the columns of v. The
## derivatives of eigenvectors are NaN where two eigenvalues are equal.
let eigen = custom_jvp(
    fn(a) = if _large(a, 4) { _factorize(a, "eigh") } else { _rotated(a) },
    fn(primals, tangents) {
        let (w, v) = eigen(primals[0])
        let turned = _adjoint(v) @ tangents[0] @ v
        let beside = eye(len(w)) == 0
        let gap = where(beside, w - w[:, none], 1)
        ((w, v), (real(diagonal(turned)), v @ where(beside, _by_gap(turned, gap, w), 0)))
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
                let (c, s) = _rotation(real(m[p, p]), m[p, q], real(m[q, q]))
                let (row_p, row_q) = (m[p], m[q])
                m = m with [p] = c * row_p - s * row_q with [q] = conj(s) * row_p + c * row_q
                m = _with_turned(m, p, q, c, s)
                v = _with_turned(v, p, q, c, s)
            }
        }
    }
    let w = real(diagonal(m))
    let order = argsort(w)
    (w[order], v[:, order])
}

## factors.singular(a): (u f[m, n], s f[n], v f[n, n]) with a = u * s @ conj(v.T), for m >= n.
## s is real and decreasing. u and v have orthonormal columns. The algorithm is one-sided Jacobi rotations of columns.
## The derivatives of singular vectors are NaN where two singular values are equal, and where one is 0 and m is not n. A
## change of a determines only the relative phase of a complex vector of u and its partner in v. The derivative assigns
## it to u, and in factors.singular_of_transpose to v.
let singular = custom_jvp(
    fn(a) = _singular(a),
    fn(primals, tangents) {
        let factors = singular(primals[0])
        let (du, ds, dv, phase) = _singular_slope(factors, tangents[0])
        (factors, (if phase == none { du } else { du + factors[0] * phase }, ds, dv))
    },
)
## factors.singular_of_transpose(a): (u, s, v) as in factors.singular, with relative phases assigned to v.
## It is for the transpose of a matrix whose own u gets the phases.
let singular_of_transpose = custom_jvp(
    fn(a) = _singular(a),
    fn(primals, tangents) {
        let factors = singular_of_transpose(primals[0])
        let (du, ds, dv, phase) = _singular_slope(factors, tangents[0])
        (factors, (du, ds, if phase == none { dv } else { dv - factors[2] * phase }))
    },
)
fn _singular(a) {
    if not _large(a, 8) { return _rotated_columns(a) }
    let (u, s, vh) = _factorize(a, "svd")
    (u, s, _adjoint(vh))
}
## (du, ds, dv, phase): the derivatives of u, s and v where a changes by da. `phase` is the change of the relative phase
## of complex vectors, which is not in du and dv. It is none for real ones.
fn _singular_slope(factors, da) {
    let (u, s, v) = factors
    let turned = _adjoint(u) @ da @ v
    let beside = eye(len(s)) == 0
    let gap = where(beside, (s - s[:, none]) * (s + s[:, none]), 1)
    let of_gap = fn(x) = where(beside, _by_gap(x, gap, s * s), 0)
    # If u is not square, the change also has a component outside of the span of u.
    let out = if u.shape[0] == u.shape[1] { 0 * u } else { _by_gap(da @ v - u @ turned, s, s) }
    let (x, y) = (turned * s, _adjoint(turned) * s)
    let (du, dv) = (u @ of_gap(x + _adjoint(x)) + out, v @ of_gap(y + _adjoint(y)))
    let d = diagonal(turned)
    let phase = if iscomplexobj(d) {
        complex(0, where(s == 0, 0, imag(d) / where(s == 0, 1, s)))
    } else {
        none
    }
    (du, real(d), dv, phase)
}
fn _rotated_columns(a) {
    let n = a.shape[1]
    mut b = a
    mut v = eye(n, dtype=a.dtype)
    for _ in 0.._sweeps(a) {
        for i in 0..n * n {
            let (p, q) = (i // n, i % n)
            if p < q {
                let (x, y) = (b[:, p], b[:, q])
                let (c, s) = _rotation(sum(_squares(x)), sum(conj(x) * y), sum(_squares(y)))
                b = _with_turned(b, p, q, c, s)
                v = _with_turned(v, p, q, c, s)
            }
        }
    }
    let s = sqrt(sum(_squares(b), axis=0))
    let order = argsort(-s)
    # The columns of b are u * s. Where s is almost 0 they do not determine u, so that it comes from a QR factorization.
    let (q, r) = _reflected(b[:, order])
    (q[:, :n] * where(real(diagonal(r)) < 0, -1, 1), s[order], v[:, order])
}

fn _sweeps(a) = if _real_dtype(a) == f64 { 14 } else { 10 }

## m with its columns p and q rotated by the angle with cosine c and sine s.
fn _with_turned(m, p, q, c, s) {
    let (x, y) = (m[:, p], m[:, q])
    m with [:, p] = c * x - conj(s) * y with [:, q] = s * x + c * y
}

## (cosine, sine) of the Jacobi rotation that makes b zero in ((a, b), (conj(b), d)), with real a and d. The sine has
## the phase of b.
fn _rotation(a, b, d) {
    if iscomplexobj(b) {
        let size = abs(b)
        let (c, s) = _rotation(a, size, d)
        return (c, s * where(size == 0, 1, b / where(size == 0, 1, size)))
    }
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
    # A block diagonal matrix with a second block of 34 rows makes a large matrix of the small one. Its first block
    # gives the results of the small one.
    let n = 3
    let b = random.normal(random.key(5), (n, n), dtype=f64) + 3 * eye(n)
    let wide = fn(a) = linalg.block_diag(a, diag(f64(1 + arange(34)) * 9.0))
    let sizes = (fn(f) = fn(a) = f(a)[:n, :n], fn(f) = fn(a) = f(wide(a))[:n, :n])
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

test "values and vectors of large matrices have the derivatives of small ones" {
    for n in (4, 30) {
        let a = random.normal(random.key(n), (n, n), dtype=f64)
        # Functions of the matrix that do not depend on the signs of vectors: traces of powers, and a function of the
        # singular values.
        let trace = fn(a) = sum(eigen(a @ a.T)[0] ** 1.5)
        let by_singular = fn(a) = sum(singular(a)[1] ** 3)
        assert(allclose(grad(trace)(a), grad(by_singular)(a), rtol=1e-6))
        let back = fn(a) {
            let (u, s, v) = singular(a)
            u * sin(s) @ v.T
        }
        let d = random.normal(random.key(1), (n, n), dtype=f64)
        let step = 1e-6
        let slope = (back(a + step * d) - back(a - step * d)) / (2 * step)
        assert(allclose(jvp(back, (a,), (d,))[1], slope, rtol=1e-4, atol=1e-6))
    }
}

test "matrices of less than full rank have orthonormal vectors" {
    for n in (3, 12, 30) {
        let a = outer(f64(1 + arange(n)), f64(arange(n)) - 1)
        let (u, s, v) = singular(a)
        assert(
            allclose(u.T @ u, eye(n)) and
            allclose(v.T @ v, eye(n)) and
            allclose(u * s @ v.T, a, atol=1e-9),
        )
        let full = completed(u[:, :1])
        assert(allclose(full.T @ full, eye(n)) and array_equal(full[:, :1], u[:, :1]))
    }
    # The change of a[1, 0] rotates the first vector of u towards the second one.
    # The rate is that of the change divided by the singular value.
    let (_, d) = jvp(fn(a) = singular(a)[0], (diag([2.0, 0.0]),), ([[0.0, 0.0], [1.0, 0.0]],))
    assert(allclose(abs(d), [[0.0, 0.5], [0.5, 0.0]]))
}

test "the space beside some columns follows them" {
    let q = fn(a) = qr(a)[0]
    for (m, n) in ((5, 2), (30, 27)) {
        let a = random.normal(random.key(3), (m, n), dtype=f64)
        let projector = fn(a) = completed(q(a))[:, n:] @ completed(q(a))[:, n:].T
        let loss = fn(f) = fn(a) = sum(sin(f(a)) * f64(arange(m * m).reshape((m, m))))
        let other = fn(a) = eye(m, dtype=f64) - q(a) @ q(a).T
        assert(allclose(grad(loss(projector))(a), grad(loss(other))(a)))
        let second = fn(f) = grad(fn(a) = sum(sin(grad(loss(f))(a))))(a)
        assert(allclose(second(projector), second(other), rtol=1e-4))
    }
}

test "a wide matrix of full rank: r is that of the first columns, and the rest turned" {
    for (m, n) in ((2, 4), (26, 30)) {
        let a = random.normal(random.key(4), (m, n), dtype=f64)
        let back = fn(a) {
            let (q, r) = qr(a)
            q @ r
        }
        assert(allclose(jacfwd(fn(a) = sum(sin(back(a))))(a), cos(a)))
        assert(allclose(grad(fn(a) = sum(sin(back(a))))(a), cos(a)))
    }
}

test "matrices without elements" {
    for (m, n) in ((0, 3), (3, 0), (30, 0), (0, 30)) {
        for f in (qr, complete_qr) {
            let (q, r) = f(zeros((m, n)))
            assert((q @ r).shape == (m, n))
        }
    }
}
