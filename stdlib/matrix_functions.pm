# Inner module of linalg: Sylvester equations, functions of matrices and polar factors, by Schur forms and singular
# values. The module linalg exports these functions under the same names. The Schur forms and the singular values are
# computed without derivatives. Derivatives follow from the equation that the result satisfies. So they have every order,
# and exist where eigenvalues or singular values are equal.

## (t, q) with a = q @ t @ conj(q.T), t upper triangular, q unitary, for a real or complex a. It has no derivatives.
## Real eigenvalues of a real matrix are exactly real, as they come from the real form.
fn _schur(a) {
    let a = stop_gradient(a)
    let scale = linalg._scale(a)
    let (t, q) = if iscomplexobj(a) {
        eigen._triangular_form(a / scale)
    } else {
        eigen.complex_form(*eigen._quasi_triangular_form(a / scale))
    }
    (scale * t, q)
}
## a in f32 or wider.
fn _wide_number(a) = if iscomplexobj(a) { a } else { _wide(a) }

# ---- Hessenberg and Schur forms

## linalg.hessenberg(a, calc_q=false): the Hessenberg form h of matrices a = q @ h @ q.H, f[..., n, n], and (h, q) with
## calc_q.
## h is zero below the first subdiagonal, whose elements are real. q is unitary. Householder reflections are used.
## Derivatives are those of the reflections.
fn hessenberg(a, calc_q=false) {
    let a = linalg._square(a, "linalg.hessenberg")
    let found = linalg._batched(fn(m) = _scaled(m, eigen.hessenberg), _wide_number(a))
    let (h, q) = (x.astype(a.dtype) for x in found)
    if calc_q { (h, q) } else { h }
}

## linalg.schur(a, output="real"): the Schur form (t, z) of matrices a = z @ t @ z.H, f[..., n, n] each. z is unitary.
## For complex a, and with output="complex", t is upper triangular and complex. For real a and output="real" t and z are
## real. Each pair of complex eigenvalues then has a block of two rows on the diagonal of t, as in LAPACK: its diagonal
## elements are equal, and the others differ in sign. The order of the eigenvalues is not specified. Matrices with inf or
## NaN give NaN. Derivatives exist, beyond JAX. They are NaN or unbounded where two eigenvalues are equal.
fn schur(a, output="real") {
    let a = linalg._square(a, "linalg.schur")
    let output = _option(output, "`output`", ("real", "complex"))
    let wide = _wide_number(a)
    if iscomplexobj(a) or output == "complex" {
        return linalg._batched(fn(m) = _scaled(m, eigen.form), wide.astype(result_type(a, c64)))
    }
    let (t, z) = linalg._batched(fn(m) = _scaled(m, eigen.real_form), wide)
    (t.astype(a.dtype), z.astype(a.dtype))
}
## The form (t, z) of a by form(a), which gets a scaled matrix so that squares do not overflow.
fn _scaled(a, form) {
    if len(a) == 0 { return (a, a) }
    let scale = linalg._scale(a)
    let (t, z) = form(a / scale)
    (scale * t, z)
}
## linalg.rsf2csf(t, z): the complex Schur form of matrices z @ t @ z.T, from the real one of schur, c[..., n, n] each.
## The eigenvalue with positive imaginary part comes first in each pair.
fn rsf2csf(t, z) {
    let (t, z) =
        linalg._together(linalg._square(t, "linalg.rsf2csf"), linalg._square(z, "linalg.rsf2csf"))
    if z.shape != t.shape {
        _refuse("`linalg.rsf2csf` needs two arrays of matrices of one shape, got {_type(t)} and {_type(z)}")
    }
    vectorize(eigen.complex_form, signature="(n,n),(n,n)->(n,n),(n,n)")(
        _wide_number(t),
        _wide_number(z),
    )
}

# ---- Sylvester equations

## linalg.solve_sylvester(a, b, c): the solution x f[..., m, n] of a @ x + x @ b = c.
## a is f[..., m, m], b f[..., n, n] and c f[..., m, n], real or complex. Batch axes broadcast. x is real for real
## matrices. It has infinities and NaN where an eigenvalue of a is the negative of one of b. The algorithm of Bartels
## and Stewart (1972) uses complex Schur forms of a and b.
fn solve_sylvester(a, b, c) {
    let (a, b) =
        (linalg._square(a, "linalg.solve_sylvester"), linalg._square(b, "linalg.solve_sylvester"))
    let c = linalg._matrix(c, "linalg.solve_sylvester")
    if c.shape[-2:] != (a.shape[-1], b.shape[-1]) {
        _refuse("`linalg.solve_sylvester` needs a f[..., m, m], b f[..., n, n] and c f[..., m, n], got {_type(a)}, {_type(b)} and {_type(c)}")
    }
    let dtype = result_type(a, b, c)
    let solve = vectorize(_solve_sylvester, signature="(m,m),(n,n),(m,n)->(m,n)")
    solve(*(_wide_number(x.astype(dtype)) for x in (a, b, c))).astype(dtype)
}
fn _solve_sylvester(a, b, c) {
    if c.size == 0 { return c }
    _solution(a, b, c, _schur(a), _schur(b))
}
## The solution x of a @ x + x @ b = c, for the Schur forms a = u @ r @ conj(u.T) and b = v @ s @ conj(v.T). Its
## derivatives come from `a` and `b` alone. The transposed system is that of the equation b @ x.T + x.T @ a = c.T.
fn _solution(a, b, c, (r, u), (s, v)) = custom_linear_solve(
    fn(x) = a @ x + x @ b,
    c,
    fn(_, c) = _by_columns(c, r, u, s, v),
    transpose_solve=fn(_, c) = _by_columns(c.T, s, v, r, u).T,
)
fn _by_columns(c, r, u, s, v) {
    let f = _adjoint(u) @ c.astype(r.dtype) @ v
    let one = eye(len(r), dtype=r.dtype)
    mut y = zeros_like(f)
    for k in 0..len(s) {
        let right = f[:, k] - y @ s[:, k]  # the columns of y from k on are still zeros
        y = y with [:, k] = factors.triangular(r + s[k, k] * one, right, false, false, false)
    }
    let x = u @ y @ _adjoint(v)
    if iscomplexobj(c) { x } else { real(x) }
}

# ---- functions of matrices

## linalg.sqrtm(a): the principal square root of matrices f[..., n, n], complex.
## Its eigenvalues have real parts of at least 0. It is computed from the complex Schur form (Bjorck and Hammarling,
## 1983). Singular matrices may have no square root, which gives infinities and NaN. Derivatives solve Sylvester
## equations. They are unbounded where a is singular.
fn sqrtm(a) = linalg._batched(_sqrtm, linalg._square(a, "linalg.sqrtm"))
fn _sqrtm(a) {
    let a = _wide_number(a)
    let z = a.astype(result_type(a, c64))
    if len(a) == 0 { return z }
    let (t, q) = _schur(a)
    let r = _triangular_root(t)
    _root(z, q @ r @ _adjoint(q), r, q)
}
## The square root x of a, computed without derivatives, with its derivatives. x = q @ r @ conj(q.T) is its Schur form.
let _root = custom_jvp(
    fn(a, x, r, q) = x,
    fn((a, x, r, q), (da, _, _, _)) {
        let x = _root(a, x, r, q)
        (x, _solution(x, x, da, (r, q), (r, q)))
    },
)
## The upper triangular square root of an upper triangular t.
fn _triangular_root(t) {
    let w = diagonal(t)
    let d = sqrt(complex(real(w), where(imag(w) == 0, 0, imag(w))))  # no -0: a negative number has the root with imaginary part above 0
    mut r = diag(d)
    for j in 1..len(t) {
        mut x = zeros_like(d)
        for step in 0..j {
            let i = j - 1 - step
            let rest = t[i, j] - r[i] @ x
            x = x with [i] = where(rest == 0, 0, rest / (d[i] + d[j]))
        }
        x = x with [j] = d[j]
        r = r with [:, j] = x
    }
    r
}

## linalg.funm(a, func): the function of matrices f[..., n, n] that `func` defines on their eigenvalues, complex.
## func(z) takes a complex number and returns the value of an analytic function. The algorithm is Parlett's recurrence
## (1976) on the complex Schur form. Equal eigenvalues use the derivative of `func`, which is right if they belong to
## blocks of at most two rows of the Jordan form. Nearly equal ones lose digits. Derivatives are NaN or unbounded where
## eigenvalues are equal. For the exponential and the square root expm and sqrtm are better.
fn funm(a, func) = linalg._batched(
    fn(m) = _funm(m, func),
    linalg._square(a, "linalg.funm"),
)
fn _funm(a, func) {
    let a = _wide_number(a)
    let dtype = result_type(a, c64)
    if len(a) == 0 { return a.astype(dtype) }
    let scale = linalg._scale(a)
    let (t, q) = eigen.form((a / scale).astype(dtype))
    let t = scale * t
    let w = diagonal(t)
    let (value, slope) = jvp(vmap(func), (w,), (ones_like(w),))
    let i = arange(len(t))
    let near = 2 * len(t) * finfo(t).eps * max(abs(t))
    mut m = diag(value.astype(dtype))
    for j in 1..len(t) {
        # The column of m @ t = t @ m above the diagonal.
        let above = i < j
        let column = where(above, t[:, j], 0)
        let equal = above and abs(w - w[j]) <= near
        let rows = above and not equal
        let shifted = where(rows[:, none] and above, t - w[j] * eye(len(t), dtype=dtype), 0)
        let system = shifted + diag(where(rows, 0, 1).astype(dtype))
        let right = where(equal, slope * column, where(rows, m @ column - column * m[j, j], 0))
        m = m with [:, j] += factors.triangular(system, right, false, false, false)
    }
    q @ m @ _adjoint(q)
}

## linalg.expm_frechet(a, e, compute_expm=true): (expm(a), d), where d is the derivative of expm at a in the direction e.
## a and e are f[..., n, n], real or complex, of the same shape. With compute_expm=false the result is d.
fn expm_frechet(a, e, compute_expm=true) {
    let a = linalg._square(a, "linalg.expm_frechet")
    let (a, e) = linalg._together(a, e)
    if e.shape != a.shape {
        _refuse("`linalg.expm_frechet` needs two arrays of matrices of one shape, got {_type(a)} and {_type(e)}")
    }
    let found = jvp(matrices.expm, (a,), (e,))
    if compute_expm { found } else { found[1] }
}

# ---- polar factors

## linalg.polar(a, side="right"): (u f[..., m, n], p) with a = u @ p, or a = p @ u for side="left".
## a is f[..., m, n], real or complex. u has orthonormal columns, or rows if m < n. p is symmetric with eigenvalues of at
## least 0, f[..., n, n], or f[..., m, m] for side="left". It is computed from the singular values. The derivatives hold
## where all singular values are positive. They also exist where singular values are equal.
fn polar(a, side="right") {
    let a = linalg._matrix(a, "linalg.polar")
    let left = _option(side, "`side`", ("right", "left")) == "left"
    let found = linalg._batched(_polar, if left { _adjoint(a) } else { a })
    if left { (_adjoint(found[0]), found[1]) } else { found }
}
fn _polar(a) {
    let (m, n) = a.shape
    if m < n {
        let (u, p) = _polar(_adjoint(a))
        return (_adjoint(u), u @ p @ _adjoint(u))
    }
    if a.size == 0 { return (a, zeros((n, n), dtype=a.dtype)) }
    let (w, s, vt) = linalg.svd(stop_gradient(a))
    let v = _adjoint(vt)
    let (u, p) = _polar_factors(
        a,
        w @ vt,
        v * s @ vt,
        s.astype(result_type(s, c64)),
        v.astype(result_type(v, c64)),
    )
    (u, p)
}
## The polar factors (u, p) of a f[m, n], m >= n, computed without derivatives, with their derivatives. The eigenvalues
## of p are s, its eigenvectors v, both complex.
let _polar_factors = custom_jvp(
    fn(a, u, p, s, v) = (u, p),
    fn((a, u, p, s, v), (da, _, _, _, _)) {
        let (u, p) = _polar_factors(a, u, p, s, v)
        let m = _adjoint(u) @ da
        let form = (diag(s), v)
        let turn = _solution(p, p, m - _adjoint(m), form, form)
        let dp = m - turn @ p
        let within = u @ turn
        # The change outside of the span of u.
        let out = if u.shape[0] == u.shape[1] {
            0
        } else {
            _adjoint(factors.solve(p, _adjoint(da - u @ m)))
        }
        ((u, p), (within + out, (dp + _adjoint(dp)) / 2))
    },
)

# ---- products with factors, and tridiagonal matrices

## linalg.qr_multiply(a, c, mode="right", conjugate=false): (c @ q, r) or, with mode="left", (q @ c, r), for the reduced
## QR factors a = q @ r of qr.
## a is f[..., m, n], real or complex. c is f[..., p, m] or f[m] for mode="right", and f[..., k, p] or f[k] with
## k = min(m, n) for mode="left". With `conjugate` conj(q) is used in place of q.
fn qr_multiply(a, c, mode="right", conjugate=false) {
    let mode = _option(mode, "`mode`", ("right", "left"))
    let (q, r) = linalg.qr(linalg._matrix(a, "linalg.qr_multiply"))
    let q = if conjugate { conj(q) } else { q }
    let c = _of_rank_at_least(c, 1, "linalg.qr_multiply", "c as a matrix or a vector")
    let at = if mode == "left" and c.ndim > 1 { -2 } else { -1 }
    let size = if mode == "left" { q.shape[-1] } else { q.shape[-2] }
    if c.shape[at] != size {
        _refuse("`linalg.qr_multiply` with mode=\"{mode}\" needs c of size {size} along its axis {at}, got {_type(c)}")
    }
    (if mode == "left" { q @ c } else { c @ q }, r)
}

## linalg.eigh_tridiagonal(d, e, eigvals_only=false, select="a", select_range=none): the eigenvalues w of symmetric
## tridiagonal matrices in increasing order, and (w, v) with their eigenvectors v as by eigh.
## d f[..., n] is the diagonal and e f[..., n - 1] the subdiagonal, which may be complex. Batch axes are the same. With
## eigvals_only the result is w alone. select="i" gives the values of the indices from select_range[0] to
## select_range[1], both included. select="v" gives those above select_range[0] up to select_range[1], of one matrix.
## Their number is computed, which is possible outside of compiled code only. The matrix is passed to eigh as a dense
## one.
fn eigh_tridiagonal(d, e, eigvals_only=false, select="a", select_range=none) {
    let what = "linalg.eigh_tridiagonal"
    let d = _number(_of_rank_at_least(d, 1, what, "a diagonal f[..., n]"))
    let (d, e) = linalg._together(d, _of_rank_at_least(e, 1, what, "a subdiagonal f[..., n - 1]"))
    if d.shape[-1] == 0 or e.shape != d.shape[:-1] + (d.shape[-1] - 1,) {
        _refuse("`{what}` needs d f[..., n] and e f[..., n - 1], got {_type(d)} and {_type(e)}")
    }
    let select = _option(select, "`select`", ("a", "i", "v"))
    if select != "a" and (kind(select_range) != "tuple" or len(select_range) != 2) {
        _refuse("`{what}` with select=\"{select}\" needs a `select_range` (first, last), got {_type(select_range)}")
    }
    let (w, v) = linalg.eigh(vectorize(_tridiagonal, signature="(n),(k)->(n,n)")(d, e))
    let n = w.shape[-1]
    let chosen = if select == "a" {
        arange(n)
    } else if select == "i" {
        let (first, last) = (_known(k) for k in select_range)
        if first < 0 or last < first or last >= n {
            _refuse("the `select_range` of `{what}` must be two increasing indices below {n}, got {select_range}")
        }
        arange(first, last + 1)
    } else {
        if w.ndim > 1 { _refuse("`{what}` with select=\"v\" takes one matrix, got {_type(d)}") }
        let inside = w > select_range[0] and w <= select_range[1]
        nonzero(inside, size=_measured(count_nonzero(inside), what))[0]
    }
    if eigvals_only { w[..., chosen] } else { (w[..., chosen], v[..., chosen]) }
}
fn _tridiagonal(d, e) = diag(d) + diag(e, -1) + diag(conj(e), 1)
