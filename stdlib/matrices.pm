# Inner module of linalg: least squares, pseudoinverses, powers, exponentials, and matrices with a pattern. The module
# linalg exports these functions under the same names.

# ---- least squares

## linalg.pinv(a, rtol=none, rcond=none): the pseudoinverses of matrices f[..., m, n] -> f[..., n, m], real or complex.
## Singular values at most `rtol` times the greatest count as 0. The default is 10 max(m, n) eps. `rcond` is another
## name of `rtol`. Derivatives of every order follow Golub and Pereyra (1973), with the rank held constant. They
## also exist where singular values are equal.
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

## The pseudoinverse p of a, computed without derivatives, with derivatives of every order with respect to a.
let _following = custom_jvp(
    fn(p, a) = p,
    fn((p, a), (_, d)) {
        let q = _following(p, a)
        (q, _pinv_slope(q, a, d))
    },
)
## The directional derivative of the pseudoinverse p of a f[m, n] for the tangent d of a.
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

## linalg.lstsq(a, b, rcond=none): (x, residuals, rank, s) of the least-squares problem a @ x = b.
## The shapes are a f[..., m, n] and b f[m] or f[..., m, k], real or complex, -> x f[..., n] or f[..., n, k].
## If several x are solutions, x is the shortest. `residuals` f[..., k] (f[..., 1] for a vector b) holds the squared
## lengths of b - a @ x. `rank` is i32[...]. `s` holds the singular values of a. Those below `rcond` times the greatest
## count as 0. The default is max(m, n) eps. residuals and s are real. The derivatives of x are those of pinv.
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

# ---- solving with factors

## linalg.cho_factor(a, lower=false): (c, lower) with the Cholesky factor c of a, for positive definite a.
## lower=true gives the lower triangle l of cholesky(a), lower=false its conjugate transpose.
fn cho_factor(a, lower=false) {
    let l = linalg.cholesky(a)
    (if lower { l } else { _adjoint(l) }, lower)
}
## linalg.lu_solve(lu, b, trans=0): the solution x of a @ x = b from lu = lu_factor(a).
## trans=1 solves a.T @ x = b, trans=2 solves conj(a.T) @ x = b. b is f[n] or f[..., n, m]. For batches of matrices
## b has the same batch axes.
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
## linalg.tridiagonal_solve(dl, d, du, b): the solution x f[..., n, m] of a @ x = b for tridiagonal matrices a.
## d f[..., n] is the diagonal of a, dl[i] = a[i, i - 1] the subdiagonal, du[i] = a[i, i + 1] the superdiagonal.
## dl[0] and du[n - 1] are not read. b is f[..., n, m], or f[n] for x f[n]. All may be real or complex. The algorithm is
## Gaussian elimination with exchanges of neighboring rows, one step for each row, as in LAPACK's gtsv. Singular a gives
## infinities and NaN.
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
        let du = concatenate((du[:-1], zeros_like(du[:1])))  # du[n - 1] is not an element of the matrix
        # The state is the current row: its diagonal element, its superdiagonal element, and its right-hand side.
        # A finished row has three elements, from the diagonal on, and the right-hand side.
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

## linalg.tensorsolve(a, b, axes=none): the solution x of tensordot(a, x, x.ndim) = b, for real or complex a and b.
## `axes` are axes of a that are first moved to its end, in this order.
fn tensorsolve(a, b, axes=none) {
    let t = if axes == none { a } else { moveaxis(a, axes, tuple(a.ndim - len(axes)..a.ndim)) }
    let rest = t.shape[b.ndim:]
    linalg.solve(t.reshape((b.size, prod(rest))), ravel(b)).reshape(rest)
}
## linalg.tensorinv(a, ind=2): the inverse of the linear map tensordot(a, ., ind), for real or complex a.
## The shapes are a f[first..., rest...], with `ind` first axes, -> f[rest..., first...].
fn tensorinv(a, ind=2) {
    let ind = _count(ind, "the `ind` of `linalg.tensorinv`", least=1)
    let (first, rest) = (a.shape[:ind], a.shape[ind:])
    linalg.inv(a.reshape((prod(first), prod(rest)))).reshape(rest + first)
}

# ---- powers

## linalg.matrix_power(a, n): the power a @ a @ ... of n factors of a f[..., k, k], real or complex.
## n is a known integer. n = 0 gives the identity, n < 0 gives powers of the inverse.
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

## linalg.multi_dot(matrices, precision=none): the product of a tuple of matrices, computed from left to right.
## Nothing is conjugated. `precision` is that of matmul.
fn multi_dot(matrices, precision=none) {
    if len(matrices) == 0 { _refuse("`linalg.multi_dot` needs one matrix at least") }
    mut y = matrices[0]
    for m in matrices[1:] { y = matmul(y, m, precision=precision) }
    y
}

## linalg.expm(a): the exponentials of real or complex matrices f[..., n, n], f[..., n, n].
## It uses Pade's approximation of order 6 with scaling and squaring. It is NaN where the 1-norm of a is above 2^15.
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

## linalg.block_diag(a, b, ...): the block diagonal matrix of the given matrices, zeros elsewhere.
## Vectors f[n] are blocks f[1, n].
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
## linalg.toeplitz(c, r=none): the Toeplitz matrix f[n, m] with first column c f[n] and first row r f[m].
## It is constant along diagonals. r[0] is not read. If r is none, it is conj(c).
fn toeplitz(c, r=none) {
    let column = ravel(c)
    let row = if r == none { conj(column) } else { ravel(r) }
    let all = concatenate((flip(column), row[1:]))
    all[len(column) - 1 - arange(len(column))[:, none] + arange(len(row))]
}
## linalg.hankel(c, r=none): the Hankel matrix f[n, m] with first column c f[n] and last row r f[m].
## It is constant along antidiagonals. r[0] is not read. If r is none, it is zeros f[n].
fn hankel(c, r=none) {
    let column = ravel(c)
    let row = if r == none { zeros_like(column) } else { ravel(r) }
    concatenate((column, row[1:]))[arange(len(column))[:, none] + arange(len(row))]
}
## linalg.circulant(c): the circulant matrix f[n, n] of c f[n], whose column j is c rolled by j.
fn circulant(c) {
    let n = len(_vector(c, "linalg.circulant"))
    array(c)[(arange(n)[:, none] - arange(n)) % n]
}
## linalg.hilbert(n): the Hilbert matrix, with elements 1 / (i + j + 1), f32[n, n].
fn hilbert(n) = 1 / (arange(n)[:, none] + arange(n) + 1)

## linalg.companion(p): the companion matrix f[..., n - 1, n - 1] of polynomials p f[..., n], whose eigenvalues are the
## roots. The first row is -p[1:] / p[0], and the subdiagonal is 1. p[0] must not be 0, and n is at least 2.
fn companion(p) {
    let p = _coefficients(p, "linalg.companion", 2)
    let n = p.shape[-1] - 1
    let row = -p[..., 1:] / p[..., :1]
    where(arange(n)[:, none] == 0, row[..., none, :], eye(n, k=-1, dtype=p.dtype))
}
## linalg.fiedler_companion(p): a companion matrix f[..., n - 1, n - 1] of polynomials p f[..., n] with five diagonals,
## whose eigenvalues are the roots (Fiedler, 2003). p[0] must not be 0, and n is at least 2.
fn fiedler_companion(p) {
    let p = _coefficients(p, "linalg.fiedler_companion", 2)
    let n = p.shape[-1] - 1
    let c = -p / p[..., :1]
    let (i, j) = (arange(n)[:, none], arange(n))
    let even = i % 2 == 0
    let first = where(even and j == maximum(i - 1, 0), take(c, minimum(i + 1, n), axis=-1), 0)
    let second = where(even and j == i + 1, take(c, minimum(i + 2, n), axis=-1), 0)
    let ones = where(even, j == i + 2, j == maximum(i - 2, 0))
    first + second + ones.astype(p.dtype)
}
fn _coefficients(p, what, least) {
    let p = _number(_of_rank_at_least(p, 1, what, "vectors f[..., n]"))
    if p.shape[-1] < least {
        _refuse("`{what}` needs {least} elements at least along the last axis, got {_type(p)}")
    }
    p
}
## linalg.fiedler(a): the symmetric matrices |a[i] - a[j]|, f[..., n] -> f[..., n, n].
fn fiedler(a) {
    let a = _of_rank_at_least(a, 1, "linalg.fiedler", "vectors f[..., n]")
    abs(a[..., :, none] - a[..., none, :])
}
## linalg.leslie(f, s): the Leslie matrices f[..., n, n] with first row f f[..., n] and subdiagonal s f[..., n - 1].
fn leslie(f, s) {
    let f = _of_rank_at_least(f, 1, "linalg.leslie", "a first row f[..., n]")
    let s = _of_rank_at_least(s, 1, "linalg.leslie", "a subdiagonal f[..., n - 1]")
    let n = f.shape[-1]
    if n < 2 or s.shape[-1] != n - 1 {
        _refuse("`linalg.leslie` needs f f[..., n] and s f[..., n - 1] with n of at least 2, got {_type(f)} and {_type(s)}")
    }
    let (i, j) = (arange(n)[:, none], arange(n))
    where(i == 0, f[..., none, :], where(i == j + 1, s[..., none, minimum(j, n - 2)], 0))
}
## linalg.convolution_matrix(a, n, mode="full"): the Toeplitz matrix m with m @ v = convolve(a, v, mode=mode) for v of
## `n` elements, a f[..., k] -> f[..., n + k - 1, n]. "same" has max(n, k) rows and "valid" |n - k| + 1.
fn convolution_matrix(a, n, mode="full") {
    let a = _coefficients(a, "linalg.convolution_matrix", 1)
    let n = _count(n, "the `n` of `linalg.convolution_matrix`", least=1)
    let mode = _option(mode, "`mode`", ("full", "valid", "same"))
    let k = a.shape[-1]
    let less = min((n, k)) - 1
    let first = if mode == "full" { 0 } else if mode == "valid" { less } else { less // 2 }
    let rows = if mode == "full" {
        n + k - 1
    } else if mode == "valid" {
        max((n, k)) - less
    } else {
        max((n, k))
    }
    let at = first + arange(rows)[:, none] - arange(n)
    where(at >= 0 and at < k, take(a, clip(at, 0, k - 1), axis=-1), 0)
}
## linalg.hadamard(n, dtype=i32): the Hadamard matrix of Sylvester's construction, whose elements are 1 and -1, [n, n].
## `n` is a power of 2.
fn hadamard(n, dtype=i32) {
    let n = _count(n, "the `n` of `linalg.hadamard`", least=1)
    if 2 ** int(round(log2(n))) != n {
        _refuse("the `n` of `linalg.hadamard` must be a power of 2, got {n}")
    }
    (1 - 2 * (population_count(arange(n)[:, none] & arange(n)) % 2)).astype(dtype)
}
## linalg.dft(n, scale=none, dtype=c64): the matrix c[n, n] of the discrete Fourier transform: dft(n) @ x is fft.fft(x).
## It is divided by sqrt(n) with scale="sqrtn", by n with scale="n".
fn dft(n, scale=none, dtype=c64) {
    let n = _count(n, "the `n` of `linalg.dft`")
    let scale = if scale == none { "" } else { _option(scale, "`scale`", ("sqrtn", "n")) }
    let turn = f64((arange(n)[:, none] * arange(n)) % n) * (-2 * pi / max((n, 1)))
    let m = complex(cos(turn), sin(turn))
    let by = if scale == "" { 1 } else if scale == "n" { n } else { sqrt(f64(n)) }
    (m / by).astype(dtype)
}
## linalg.helmert(n, full=false, dtype=f32): the Helmert matrix f[n - 1, n] of orthonormal contrasts.
## Row k - 1 has k equal elements, then -k times this element, then zeros. With `full` a first row of 1 / sqrt(n) makes
## it an orthogonal matrix f[n, n].
fn helmert(n, full=false, dtype=f32) {
    let n = _count(n, "the `n` of `linalg.helmert`", least=1)
    let (k, j) = (arange(n)[:, none], arange(n))
    let size = sqrt(f64(where(k == 0, n, k * (k + 1))))
    let all = where(k == 0 or j < k, 1, where(j == k, -k, 0)) / size
    (if full { all } else { all[1:] }).astype(dtype)
}
## linalg.invhilbert(n, dtype=f32): the inverse of hilbert(n), whose elements are integers, f[n, n].
## They are computed in f64, in which they are exact for n up to 11, and then rounded.
fn invhilbert(n, dtype=f32) {
    let n = _count(n, "the `n` of `linalg.invhilbert`")
    let (i, j) = (f64(arange(n))[:, none], f64(arange(n)))
    let sign = 1 - 2 * ((i + j) % 2)
    let size =
        special.comb(n + i, n - j - 1) *
        special.comb(n + j, n - i - 1) *
        special.comb(i + j, i) ** 2
    (sign * (i + j + 1) * size).astype(dtype)
}
## linalg.pascal(n, kind="symmetric", dtype=f32): the Pascal matrix f[n, n] of binomial coefficients.
## "lower" has i over j, "upper" its transpose, and "symmetric" their product, i + j over i.
fn pascal(n, kind="symmetric", dtype=f32) = _pascal(n, kind, "linalg.pascal", fn(i, j) {
    if kind == "symmetric" { special.comb(i + j, i) } else { special.comb(i, j) }
}).astype(dtype)
## linalg.invpascal(n, kind="symmetric", dtype=f32): the inverse of pascal(n, kind), f[n, n], computed in f64.
fn invpascal(n, kind="symmetric", dtype=f32) {
    let inverse = _pascal(
        n,
        kind,
        "linalg.invpascal",
        fn(i, j) = (1 - 2 * (abs(i - j) % 2)) * special.comb(i, j),
    )
    (if kind == "symmetric" { inverse.T @ inverse } else { inverse }).astype(dtype)
}
fn _pascal(n, kind, what, element) {
    let n = _count(n, "the `n` of `{what}`")
    let kind = _option(kind, "`kind`", ("symmetric", "lower", "upper"))
    let i = f64(arange(n))
    let m = element(i[:, none], i)
    if kind == "upper" { m.T } else { m }
}
