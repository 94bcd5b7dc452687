# Inner module of linalg: least squares, pseudoinverses, powers and exponentials, and matrices with a pattern. The module linalg has these functions under the same names.

# ---- least squares

## linalg.pinv(a, rtol=none, rcond=none): the pseudoinverse of matrices f[..., m, n] -> f[..., n, m], real or complex; singular values not above rtol (10 max(m, n) eps; rcond is
## another name for it) times the greatest count as 0. The derivatives, of every order, are those of Golub and Pereyra (1973), which take the
## rank as it is: they exist where singular values are equal, too.
fn pinv(a, rtol=none, rcond=none) {
    let a = linalg._matrix(a, "linalg.pinv")
    let small = if rtol != none {
        rtol
    } else if rcond != none {
        rcond
    } else {
        10 * linalg._tolerance(a)
    }
    linalg._batched(fn(m) = _pinv(m, small), a)
}
fn _pinv(a, small) {
    if a.size == 0 { return _adjoint(a) }
    let (u, s, vt) = linalg.svd(stop_gradient(a))
    _following(_inverted(u, s, vt, s > small * s[0]), a)
}
fn _inverted(u, s, vt, keep) =
    _adjoint(vt) @ (where(keep, 1 / where(keep, s, 1), 0)[:, none] * _adjoint(u))

## The pseudoinverse p of a, given without derivatives, with those of every order.
let _following = custom_jvp(
    fn(p, a) = p,
    fn((p, a), (_, d)) {
        let q = _following(p, a)
        (q, _pinv_slope(q, a, d))
    },
)
## How fast the pseudoinverse p of a f[m, n] changes when a does by d.
fn _pinv_slope(p, a, d) {
    let h = _adjoint
    if a.shape[0] >= a.shape[1] {
        let s = (p @ h(p)) @ h(d)
        let t = (h(d) @ h(p)) @ p
        return s - (p @ d) @ p - (s @ a) @ p + t - (p @ a) @ t
    }
    let s = p @ (h(p) @ h(d))
    let t = h(d) @ (h(p) @ p)
    s - p @ (d @ p) - s @ (a @ p) + t - p @ (a @ t)
}

## linalg.lstsq(a, b, rcond=none): (x, residuals, rank, s): x for which a @ x comes nearest to b, the shortest where there are several; a f[..., m, n], b f[m] or
## f[..., m, k]. residuals f[..., k] (f[1] for a vector b): the squared length of b - a @ x; rank i32[...]; s the singular values of a, of which those below rcond
## (max(m, n) eps) times the greatest count as 0. By singular values; derivatives as those of pinv. a and b real or complex; residuals and s are real.
fn lstsq(a, b, rcond=none) {
    let a = linalg._matrix(a, "linalg.lstsq")
    let (a, b) = linalg._together(a, linalg._right(a, b, "linalg.lstsq"))
    let small = if rcond == none { linalg._tolerance(a) } else { rcond }
    linalg._each(fn(m, y) = _least_squares(m, y, small), a, b)
}
fn _least_squares(a, b, small) {
    let (m, n) = a.shape
    if a.size == 0 {
        let nothing = zeros((n,) + b.shape[1:], dtype=a.dtype)
        return (nothing, _lengths(b), zeros((), dtype=i32), zeros(0, dtype=_real_dtype(a)))
    }
    let (u, s, vt) = linalg.svd(a)
    let (u0, s0, vt0) = stop_gradient((u, s, vt))
    let keep = s0 > 0 and s0 >= small * s0[0]
    let x = _following(_inverted(u0, s0, vt0, keep), a) @ b
    (x, _lengths(b - a @ x), count_nonzero(keep), s)
}
fn _lengths(gap) =
    if gap.ndim == 1 { sum(_squares(gap)).reshape(1) } else { sum(_squares(gap), axis=0) }

# ---- solving with what has been factored

## linalg.cho_factor(a, lower=false): (c, lower), c the triangle l of cholesky (lower) or its transpose, of complex a its conjugate transpose.
fn cho_factor(a, lower=false) {
    let l = linalg.cholesky(a)
    (if lower { l } else { _adjoint(l) }, lower)
}
## linalg.lu_solve(lu, b, trans=0): x with a @ x = b (trans 1: a.T @ x = b, 2: conj(a.T) @ x = b), from what lu_factor(a) gives; b f[n] or f[..., n, m].
fn lu_solve(lu, b, trans=0) {
    let trans = _option(_known(trans), "`trans`", (0, 1, 2))
    if trans == 2 { return lu_solve((conj(lu[0]), lu[1]), b, trans=1) }
    let (m, p) = (lu[0], lu[1])
    if m.ndim > 2 { return vmap(fn(m, p, b) = lu_solve((m, p), b, trans=trans))(m, p, b) }
    if trans == 0 {
        let y = linalg.solve_triangular(m, b[p], lower=true, unit_diagonal=true)
        return linalg.solve_triangular(m, y)
    }
    let y = linalg.solve_triangular(m, b, trans=true)
    let z = linalg.solve_triangular(m, y, lower=true, trans=true, unit_diagonal=true)
    z[argsort(p)]
}
## linalg.tridiagonal_solve(dl, d, du, b): x f[..., n, m] with a @ x = b f[..., n, m], where d f[..., n] is a's diagonal, dl[i] = a[i, i - 1] below it and du[i] = a[i, i + 1]
## above; dl[0] and du[n - 1] are not read. Gauss's elimination with exchanges of neighbouring rows, as LAPACK's gtsv: one step for each row. Real or complex. b may
## be f[n], too. Infinities and NaN where a is singular.
fn tridiagonal_solve(dl, d, du, b) {
    let dtype = _number(zeros((), dtype=result_type(dl, d, du, b))).dtype
    let (dl, d, du) = (array(x).astype(dtype) for x in (dl, d, du))
    let b = array(b).astype(dtype)
    let vector = b.ndim == 1
    let column = if vector { b[:, none] } else { b }
    if d.ndim == 0 or dl.shape != d.shape or du.shape != d.shape or column.shape[:-1] != d.shape {
        _refuse("`linalg.tridiagonal_solve` needs three diagonals f[..., n] and b f[..., n, m], got {_type(dl)}, {_type(d)}, {_type(du)} and {_type(b)}")
    }
    let x = if column.size == 0 { column } else { _each_tridiagonal(dl, d, du, column) }
    if vector { x[:, 0] } else { x }
}
fn _each_tridiagonal(dl, d, du, b) =
    if d.ndim == 1 { _tridiagonal(dl, d, du, b) } else { vmap(_each_tridiagonal)(dl, d, du, b) }
let _tridiagonal = custom_jvp(
    fn(dl, d, du, b) {
        let du = concatenate((du[:-1], zeros_like(du[:1])))  # its last element is no part of the matrix
        # of the row under way the element on the diagonal, the one beside it, and b's; those of a row that is done are three
        let step = fn((p, q, y), (l, m, u, r)) {
            let stays = factors._size(p) >= factors._size(l)
            let factor = where(stays, l / where(p == 0, 1, p), p / where(stays, 1, l))
            let done =
                (where(stays, p, l), where(stays, q, m), where(stays, 0, u), where(stays, y, r))
            let next = where(stays, m - factor * q, q - factor * m)
            let beside = where(stays, u, -factor * u)
            ((next, beside, where(stays, r - factor * y, y - factor * r)), done)
        }
        let ((p, q, y), rows) = scan(step, (d[0], du[0], b[0]), (dl[1:], d[1:], du[1:], b[1:]))
        let last = y / p
        let back = fn((x, after), (p, q, s, y)) {
            let found = (y - q * x - s * after) / p
            ((found, x), found)
        }
        let (_, above) = scan(back, (last, zeros_like(last)), rows, reverse=true)
        concatenate((above, last[none]))
    },
    fn((dl, d, du, b), (ddl, dd, ddu, db)) {
        let x = _tridiagonal(dl, d, du, b)
        let none_there = zeros_like(x[:1])
        let (before, behind) = (concatenate((none_there, x[:-1])), concatenate((x[1:], none_there)))
        let moved = ddl[:, none] * before + dd[:, none] * x + ddu[:, none] * behind
        (x, _tridiagonal(dl, d, du, db - moved))
    },
)

## linalg.tensorsolve(a, b, axes=none): for real or complex a and b x with tensordot(a, x, x.ndim) = b; axes of a that are moved behind first.
fn tensorsolve(a, b, axes=none) {
    mut t = a
    if axes != none {
        for d in axes { t = moveaxis(t, d, -1) }
    }
    let rest = t.shape[b.ndim:]
    linalg.solve(t.reshape((b.size, prod(rest))), ravel(b)).reshape(rest)
}
## linalg.tensorinv(a, ind=2): for real or complex a the inverse of tensordot(a, ., ind) for a f[first..., rest...], `ind` first axes -> f[rest..., first...].
fn tensorinv(a, ind=2) {
    let ind = _count(ind, "the `ind` of `linalg.tensorinv`", least=1)
    let (first, rest) = (a.shape[:ind], a.shape[ind:])
    linalg.inv(a.reshape((prod(first), prod(rest)))).reshape(rest + first)
}

# ---- powers

## linalg.matrix_power(a, n): a @ a @ ... n times, a real or complex; n < 0 powers of the inverse.
fn matrix_power(a, n) {
    if linalg._square(a, "linalg.matrix_power").ndim == 0 or _known(n) != _known(n) // 1 {
        _refuse("the `n` of `linalg.matrix_power` must be an integer, got {_known(n)}")
    }
    if _known(n) < 0 { _power(linalg.inv(a), -_known(n)) } else { _power(a, n) }
}
fn _power(a, n) {
    let n = _known(n)
    if n == 0 { return broadcast_to(eye(a.shape[-1], dtype=a.dtype), a.shape) }
    let half = _power(a, n // 2)
    let whole = half @ half
    if n % 2 == 1 { whole @ a } else { whole }
}

## linalg.multi_dot(matrices, precision=none): their product, from the left; nothing is conjugated. precision is that of matmul.
fn multi_dot(matrices, precision=none) {
    if len(matrices) == 0 { _refuse("`linalg.multi_dot` needs one matrix at least") }
    mut y = matrices[0]
    for m in matrices[1:] { y = matmul(y, m, precision=precision) }
    y
}

## linalg.expm(a): the exponential of a real or complex matrix, by Pade's approximation of order 6 and squaring; NaN where its norm is above 2^15.
fn expm(a) = linalg._batched(_expm, linalg._square(a, "linalg.expm"))
fn _expm(a) {
    if len(a) == 0 { return a }
    let size = max(sum(abs(a), axis=0))
    let squarings = maximum(0, i32(ceil(log2(maximum(size, 1e-30)))) + 1)
    let x = a / exp2(f32(squarings)).astype(a.dtype)
    let one = eye(len(a), dtype=a.dtype)
    let x2 = x @ x
    let x4 = x2 @ x2
    let x6 = x4 @ x2
    let even = one + (5 / 44) * x2 + x4 / 792 + x6 / 665280
    let odd = x @ (0.5 * one + (1 / 66) * x2 + x4 / 15840)
    mut y = linalg.solve(even - odd, even + odd)
    for i in 0..16 { if i < squarings { y = y @ y } }
    where(squarings > 16, nan, y)
}

# ---- patterns

## linalg.block_diag(a, b, ...): matrices along the diagonal, zeros elsewhere; vectors are rows.
fn block_diag(*blocks) {
    if len(blocks) == 0 { _refuse("`linalg.block_diag` needs one matrix at least") }
    let list = (atleast_2d(b) for b in blocks)
    let width = sum((m.shape[1] for m in list))
    mut rows = ()
    mut at = 0
    for m in list {
        rows += (pad(m, ((0, 0), (at, width - at - m.shape[1]))),)
        at = at + m.shape[1]
    }
    concatenate(rows)
}
## linalg.toeplitz(c, r=none): constant along diagonals: c f[n] the first column, r f[m] the first row (c without r; its first element is not read).
fn toeplitz(c, r=none) {
    let column = ravel(c)
    let row = if r == none { column } else { ravel(r) }
    let all = concatenate((flip(column), row[1:]))
    all[len(column) - 1 - arange(len(column))[:, none] + arange(len(row))]
}
## linalg.hankel(c, r=none): constant along the other diagonals: c f[n] the first column, r f[m] the last row (zeros without r).
fn hankel(c, r=none) {
    let column = ravel(c)
    let row = if r == none { zeros_like(column) } else { ravel(r) }
    concatenate((column, row[1:]))[arange(len(column))[:, none] + arange(len(row))]
}
## linalg.circulant(c): column j is c f[n] rolled by j.
fn circulant(c) {
    let n = len(_vector(c, "linalg.circulant"))
    array(c)[(arange(n)[:, none] - arange(n)) % n]
}
## linalg.hilbert(n): 1 / (i + j + 1), f32[n, n].
fn hilbert(n) = 1 / (arange(n)[:, none] + arange(n) + 1)
