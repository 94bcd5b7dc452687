# Linear algebra on matrices f[..., n, m], written in the language: every function works in compiled code, under vmap, and has derivatives.
# Axes in front of the last two are batches. Integers and bools count as floats: i64 and u64 as f64, others as f32. Every function takes complex matrices, c64 and
# c128, too: a.H below is conj(a.mT), "symmetric" means a = a.H and "orthonormal" that q.H @ q is 1; norms, eigenvalues of symmetric matrices, singular values and the
# diagonals of the triangles of cholesky and qr are real. Gradients of real results are as everywhere in the language: of |z|^2 it is 2 conj(z).

## f of each matrix of a f[..., n, m].
fn _batched(f, a) = if a.ndim == 2 { f(a) } else { vmap(fn(x) = _batched(f, x))(a) }

## a as floats or complex numbers f[..., m, n]; `what` is the function that needs it.
fn _matrix(a, what) = _number(_of_rank_at_least(a, 2, what, "a matrix f[..., m, n]"))
## a as floats or complex numbers f[..., n, n].
fn _square(a, what) {
    let a = _number(_of_rank_at_least(a, 2, what, "a square matrix f[..., n, n]"))
    if a.shape[-1] != a.shape[-2] {
        _refuse("`{what}` needs a square matrix f[..., n, n], got {_type(a)}")
    }
    a
}
## A right-hand side b f[n] or f[..., n, m] for a matrix of n rows.
fn _right(a, b, what) {
    let b = _of_rank_at_least(b, 1, what, "a right-hand side f[n] or f[..., n, m]")
    if b.shape[if b.ndim == 1 { 0 } else { -2 }] != a.shape[-2] {
        _refuse("`{what}` needs as many rows on the right as in the matrix, got {_type(b)} for {_type(a)}")
    }
    b
}

## Both in the dtype they meet in, a floating or complex one.
fn _together(a, b) {
    let dtype = _number(zeros((), dtype=result_type(a, b))).dtype
    (a.astype(dtype), b.astype(dtype))
}

## The power of two below the greatest element, or part of one, by which a matrix is divided so that squares neither overflow nor vanish.
fn _scale(a) {
    if iscomplexobj(a) { return maximum(_scale(real(a)), _scale(imag(a))) }
    let info = finfo(a)
    if a.size == 0 { return ones((), dtype=a.dtype) }
    let word = if info.bits == 16 { u16 } else if info.bits == 32 { u32 } else { u64 }
    let exponent = (2 ** (info.bits - 1 - info.nmant) - 1) << info.nmant
    let top = bitcast_convert_type(max(abs(stop_gradient(a))), word)
    let scale = bitcast_convert_type(top & full((), exponent, dtype=word), a.dtype)
    where(isfinite(scale), maximum(scale, info.tiny), 1)
}

# ---- norms

## linalg.norm(x, ord=none, axis=none, keepdims=false): of a vector the root of the sum of squares, or by ord 0, 1, 2, p, inf, -inf;
## of a matrix (two axes) "fro" (none), 1, -1, 2, -2, inf, -inf, "nuc". Real, also of complex x.
fn norm(x, ord=none, axis=none, keepdims=false) {
    let (x, ord) = (_number(x), _known(ord))
    if ord == none { return sqrt(sum(_squares(x), axis=axis, keepdims=keepdims)) }
    if not (kind(ord) == "number" or ord in ("fro", "nuc")) {
        _refuse("the `ord` of `linalg.norm` must be a number, inf, -inf, \"fro\" or \"nuc\", got {ord}")
    }
    let along = if kind(axis) == "tuple" {
        (_axes(one, x.ndim)[0] for one in axis)
    } else {
        _axes(axis, x.ndim)
    }
    if len(along) == 1 { return vector_norm(x, ord=ord, axis=along[0], keepdims=keepdims) }
    if len(along) != 2 { _refuse("a norm with `ord` is taken over 1 or 2 axes, got {len(along)}") }
    let m = moveaxis(
        moveaxis(x, along[0], -1),
        (if along[1] > along[0] { along[1] - 1 } else { along[1] }),
        -1,
    )
    let found = matrix_norm(m, ord=ord)
    if keepdims { expand_dims(found, along) } else { found }
}

## linalg.vector_norm(x, ord=2, axis=none, keepdims=false): (sum |x|^ord)^(1/ord) over axes, none: all; ord 0 counts, inf is the greatest.
fn vector_norm(x, ord=2, axis=none, keepdims=false) {
    let (x, ord) = (_number(x), _known(ord))
    if kind(ord) != "number" { _refuse("`ord` of a vector is a number, inf or -inf, got {ord}") }
    if ord == inf { return max(abs(x), axis=axis, keepdims=keepdims) }
    if ord == -inf { return min(abs(x), axis=axis, keepdims=keepdims) }
    if ord == 0 { return sum((x != 0).astype(_real_dtype(x)), axis=axis, keepdims=keepdims) }
    if ord == 1 { return sum(abs(x), axis=axis, keepdims=keepdims) }
    if ord == 2 { return sqrt(sum(_squares(x), axis=axis, keepdims=keepdims)) }
    sum(abs(x) ** ord, axis=axis, keepdims=keepdims) ** (1 / ord)
}
## linalg.matrix_norm(x, ord="fro", keepdims=false): the norm of matrices f[..., n, m] -> f[...], or f[..., 1, 1]: "fro", "nuc", 1, -1, 2, -2, inf, -inf.
fn matrix_norm(x, ord="fro", keepdims=false) {
    let found = _matrix_norm(_matrix(x, "linalg.matrix_norm"), ord)
    if keepdims { found[..., none, none] } else { found }
}
fn _matrix_norm(m, ord) {
    let ord = _option(_known(ord), "`ord` of a matrix", ("fro", "nuc", 1, -1, 2, -2, inf, -inf))
    if ord == "fro" { return sqrt(sum(_squares(m), axis=(-2, -1))) }
    if ord == "nuc" { return sum(svdvals(m), axis=-1) }
    if ord == 1 { return max(sum(abs(m), axis=-2), axis=-1) }
    if ord == -1 { return min(sum(abs(m), axis=-2), axis=-1) }
    if ord == inf { return max(sum(abs(m), axis=-1), axis=-1) }
    if ord == -inf { return min(sum(abs(m), axis=-1), axis=-1) }
    if ord == 2 { max(svdvals(m), axis=-1) } else { min(svdvals(m), axis=-1) }
}

# ---- triangular

## linalg.cholesky(a, upper=false, symmetrize_input=true): the lower triangle l with l @ l.H = a for positive a, or (upper) l.H; a is made symmetric first,
## (a + a.H) / 2, or only one triangle of it is read, the upper one with upper. The diagonal of l is real, also of complex a. NaN where a is not positive.
fn cholesky(a, upper=false, symmetrize_input=true) {
    let a = _square(a, "linalg.cholesky")
    let l = _batched(_cholesky, if symmetrize_input { a } else { _mirrored(a, upper) })
    if upper { _adjoint(l) } else { l }
}
## The symmetric matrices with the upper or lower triangles of a, but for the imaginary parts of their diagonals.
fn _mirrored(a, upper) =
    if upper { triu(a) + _adjoint(triu(a, 1)) } else { tril(a) + _adjoint(tril(a, -1)) }
fn _cholesky(a) = if len(a) == 0 { a } else { factors.cholesky((a + _adjoint(a)) / 2) }

## f(x, y) for each matrix of a f[..., n, n] with its part of b, f[n] for all or f[..., n, m]; batches broadcast.
fn _each(f, a, b) {
    if a.ndim == 2 and b.ndim < 3 { return f(a, b) }
    if b.ndim < 3 { return vmap(fn(x) = _each(f, x, b))(a) }
    if a.ndim == 2 { return vmap(fn(y) = _each(f, a, y))(b) }
    let lead = (zeros(a.shape[:-2]) + zeros(b.shape[:-2])).shape
    vmap(fn(x, y) = _each(f, x, y))(
        broadcast_to(a, lead + a.shape[-2:]),
        broadcast_to(b, lead + b.shape[-2:]),
    )
}

## linalg.solve_triangular(a, b, lower=false, trans=false, unit_diagonal=false): x with a @ x = b for triangular a f[..., n, n], a.T @ x = b with trans true (or 1,
## "T"), a.H @ x = b with trans 2 (or "C"); 0 and "N" are false. b f[n] or f[..., n, m]; either may be complex.
fn solve_triangular(a, b, lower=false, trans=false, unit_diagonal=false) {
    let trans = _option(_known(trans), "`trans`", (false, true, 0, 1, 2, "N", "T", "C"))
    let adjoint = _among(trans, (2, "C"))
    let trans = adjoint or _among(trans, (true, 1, "T"))
    let given = _square(a, "linalg.solve_triangular")
    let a = if adjoint { conj(given) } else { given }
    let (a, b) = _together(a, _right(a, b, "linalg.solve_triangular"))
    _each(fn(x, y) = factors.triangular(x, y, lower, trans, unit_diagonal), a, b)
}

# ---- solving

## linalg.lu_factor(a): (lu, p, sign) of a f[..., n, n]: l below the diagonal (ones on it) and u above, of the rows a[p], p i32[..., n]; sign f[...]
## is that of the permutation, and real. Gauss's elimination with the greatest pivot of each column; of complex ones by |real| + |imag|, as LAPACK's.
fn lu_factor(a) = _batched(_lu_factor, _square(a, "linalg.lu_factor"))
fn _lu_factor(a) = if len(a) == 0 {
    (a, zeros(0, dtype=i32), ones((), dtype=_real_dtype(a)))
} else {
    factors.lu(a)
}

## linalg.lu(a): (p, l, u) with p @ l @ u = a f[..., m, n], also complex; p f[..., m, m] real, l f[..., m, k] with ones on its diagonal, u f[..., k, n], k = min(m, n).
fn lu(a) = _batched(_lu, _matrix(a, "linalg.lu"))
fn _lu(a) {
    let (rows, columns) = a.shape
    let k = min(a.shape)
    let one = eye(rows, dtype=_real_dtype(a))
    if k == 0 { return (one, zeros((rows, 0), dtype=a.dtype), zeros((0, columns), dtype=a.dtype)) }
    let (m, p, _) = factors.rectangular_lu(a)
    (one[p].T, tril(m[:, :k], -1) + one[:, :k], triu(m[:k]))
}

## linalg.solve(a, b): x with a @ x = b; a f[..., n, n], b f[n] or f[..., n, m], either real or complex; batches broadcast. Infinities and NaN where a is singular.
fn solve(a, b) {
    let a = _square(a, "linalg.solve")
    let (a, b) = _together(a, _right(a, b, "linalg.solve"))
    _each(factors.solve, a, b)
}

## linalg.inv(a): the inverse of a f[..., n, n], real or complex.
fn inv(a) = _batched(fn(m) = factors.solve(m, eye(len(m), dtype=m.dtype)), _square(a, "linalg.inv"))

## linalg.det(a): the determinant, f[..., n, n] -> f[...], complex for complex a. The derivatives are right for singular matrices too.
fn det(a) = _det(_square(a, "linalg.det"))
let _det = custom_jvp(
    fn(a) {
        let product = _batched(_product_of_pivots, a)
        if all(isfinite(product)) { return product }
        let (direction, size) = slogdet(a)  # where pivots overflow or differ by nan
        where(isfinite(product), product, direction * exp(size))
    },
    fn(primals, tangents) =
        (_det(*primals), jvp(fn(a) = _batched(_expanded, a), primals, tangents)[1]),
)
fn _product_of_pivots(a) {
    if not factors._large(a, 12) { return _expanded(a) }
    let (m, _, sign) = factors.lu(a)
    sign * prod(diagonal(m))
}
## Gauss's elimination up to the last two rows, which need no division. The pivot is the greatest element that is left, so that one of 0 means that
## all of them are: what is left stays as it is then, and its determinant is taken without divisions, of three rows by cofactors.
fn _expanded(a) {
    let n = len(a)
    if n == 0 { return ones((), dtype=a.dtype) }
    if n == 1 { return a[0, 0] }
    mut m = a
    mut product = ones((), dtype=a.dtype)
    mut stuck = n
    for k in 0..n - 3 {
        let (rest, whole, pivot) = _without_column(m, product, k)
        if pivot == 0 { stuck = minimum(stuck, k) }
        m = where(pivot == 0, m, rest)
        product = where(pivot == 0, product, whole)
    }
    if n == 2 { return _det_2(m, product) }
    let (rest, whole, pivot) = _without_column(m, product, n - 3)
    let b = m[n - 3:, n - 3:]
    let cofactors =
        b[0, 0] * (b[1, 1] * b[2, 2] - b[1, 2] * b[2, 1]) -
        b[0, 1] * (b[1, 0] * b[2, 2] - b[1, 2] * b[2, 0]) +
        b[0, 2] * (b[1, 0] * b[2, 1] - b[1, 1] * b[2, 0])
    let found = where(pivot == 0, product * cofactors, _det_2(rest[n - 2:, n - 2:], whole))
    if n == 3 { return found }
    where(stuck < n, product * _without_division(m, stuck), found)
}
## The determinant of the last rows and columns of m, those from number `first` on, by products and sums alone (Bird 2011).
fn _without_division(m, first) {
    let n = len(m)
    let left = arange(n) >= first
    let b = where(left[:, none] and left, m, 0)
    mut f = b
    # no turn where nothing is left: then the loop costs nothing
    for _ in 0..maximum(n - 1 - first, 0) {
        let d = diagonal(f)
        f = (triu(f, 1) - diag(sum(d) - cumsum(d))) @ b
    }
    where((n - first) % 2 == 0, -1, 1) * diagonal(f)[minimum(first, n - 1)]
}
fn _det_2(b, product) = product * b[0, 0] * b[1, 1] - product * b[0, 1] * b[1, 0]
## Column k of m below its row k made 0, after exchanges; with it the product of the pivots, signs of the exchanges included, and the pivot.
fn _without_column(m, product, k) {
    let n = len(m)
    let i = arange(n)
    let at = argmax(where(i[:, none] >= k and i >= k, factors._size(m), -1))
    let (r, c) = (at // n, at % n)
    let rows = m with [k] = m[r] with [r] = m[k]
    let turned = rows with [:, k] = rows[:, c] with [:, c] = rows[:, k]
    let pivot = turned[k, k]
    let factor = where(i > k, turned[:, k] / where(pivot == 0, 1, pivot), 0)
    (
        turned - outer(factor, turned[k]),
        product * where((r == k) == (c == k), pivot, -pivot),
        pivot,
    )
}
## linalg.slogdet(a): (sign, logarithm of the size) of the determinant, f[..., n, n] -> f[...] each; the sign of a complex one is a complex number of size 1 (or 0).
fn slogdet(a) = _batched(_slogdet, _square(a, "linalg.slogdet"))
fn _slogdet(a) {
    let (m, _, s) = _lu_factor(a)
    let d = diagonal(m)
    (s * prod(_direction(d)), sum(log(abs(d))))
}
## x / |x|, 0 for 0; it turns with a complex x, where `sign` counts as constant.
fn _direction(x) {
    if not iscomplexobj(x) { return sign(x) }
    let size = abs(x)
    where(size == 0, 0, x / where(size == 0, 1, size))
}

## linalg.cho_solve(l, b): x with l @ l.H @ x = b, l f[..., n, n] the factor that cholesky gives (only its lower triangle is read), or the pair (c, lower)
## of cho_factor; b f[n] or f[..., n, m];
## batches broadcast. Infinities and NaN where l has a 0 on its diagonal; NaN where cholesky found a not positive.
fn cho_solve(l, b) {
    let low = if kind(l) != "tuple" { l } else if l[1] { l[0] } else { _adjoint(l[0]) }
    solve_triangular(low, solve_triangular(low, b, lower=true), lower=true, trans="C")
}

# ---- least squares and matrices with a pattern: the module matrices

## linalg.lstsq(a, b, rcond=none): (x, residuals, rank, singular values), x for which a @ x comes nearest to b, real or complex: matrices.lstsq.
let lstsq = matrices.lstsq
## linalg.pinv(a, rtol=none, rcond=none): the pseudoinverse of real or complex matrices: matrices.pinv.
let pinv = matrices.pinv
## linalg.cho_factor(a, lower=false): (c, lower) for cho_solve, c = cholesky(a) (lower) or its conjugate transpose: matrices.cho_factor.
let cho_factor = matrices.cho_factor
## linalg.lu_solve(lu, b, trans=0): x with a @ x = b (1: a.T @ x = b, 2: a.H @ x = b) from lu_factor(a), real or complex: matrices.lu_solve.
let lu_solve = matrices.lu_solve
## linalg.tridiagonal_solve(dl, d, du, b): x with a @ x = b for a with three diagonals: matrices.tridiagonal_solve.
let tridiagonal_solve = matrices.tridiagonal_solve
## linalg.tensorsolve(a, b, axes=none): x with tensordot(a, x, x.ndim) = b, real or complex: matrices.tensorsolve.
let tensorsolve = matrices.tensorsolve
## linalg.tensorinv(a, ind=2): the inverse of tensordot(a, ., ind), a real or complex: matrices.tensorinv.
let tensorinv = matrices.tensorinv
## linalg.block_diag(a, b, ...): matrices.block_diag; of real or complex elements, none conjugated.
let block_diag = matrices.block_diag
## linalg.toeplitz(c, r=none): matrices.toeplitz; of real or complex elements, none conjugated.
let toeplitz = matrices.toeplitz
## linalg.hankel(c, r=none): matrices.hankel; of real or complex elements, none conjugated.
let hankel = matrices.hankel
## linalg.circulant(c): matrices.circulant; of real or complex elements, none conjugated.
let circulant = matrices.circulant
## linalg.hilbert(n): matrices.hilbert.
let hilbert = matrices.hilbert

# ---- orthogonal

## linalg.qr(a, mode="reduced"): (q, r), a = q @ r, q with orthonormal columns f[m, k], r upper triangular f[k, n], k = min(m, n); "complete": q f[m, m], r f[m, n];
## "r": r alone; "raw": (h.mT, taus) of geqrf. Householder's reflections, so that the diagonal of r is real, also of complex a, and of either sign.
fn qr(a, mode="reduced") {
    let a = _matrix(a, "linalg.qr")
    let mode = _option(mode, "`mode`", ("reduced", "complete", "r", "raw"))
    if mode == "complete" { return _batched(factors.complete_qr, a) }
    if mode == "raw" {
        let (h, taus) = geqrf(a)
        return (h.mT, taus)
    }
    let (q, r) = _batched(factors.qr, a)
    if mode == "r" { r } else { (q, r) }
}

## linalg.geqrf(a): (h f[..., m, n], taus f[..., k]) of a f[..., m, n], k = min(m, n), as LAPACK's: r of a = q @ r on and above h's diagonal, Householder's vectors below it, each
## with a 1 on the diagonal that is not stored; q is the product of 1 - taus[i] v @ v.H. Derivatives as those of qr: without bounds where the first k columns depend on each other.
fn geqrf(a) = _batched(reflections.geqrf, _matrix(a, "linalg.geqrf"))
## linalg.householder_product(a, taus): the first n columns f[..., m, n] of the product of the reflections in a f[..., m, n], m >= n, and taus f[..., k], k <= n, that geqrf gives:
## of all columns of a q, of a square a with zeros beside them q with m columns.
fn householder_product(a, taus) {
    let (a, taus) = _together(_matrix(a, "linalg.householder_product"), taus)
    let (m, n) = a.shape[-2:]
    if m < n or taus.ndim != a.ndim - 1 or taus.shape[-1] > n or taus.shape[:-1] != a.shape[:-2] {
        _refuse("`linalg.householder_product` needs a f[..., m, n] with m >= n and taus f[..., k] with k <= n, got {_type(a)} and {_type(taus)}")
    }
    _product(a, taus)
}
fn _product(a, taus) =
    if a.ndim == 2 { reflections.householder_product(a, taus) } else { vmap(_product)(a, taus) }

## linalg.eig(a): (w c[..., n], v c[..., n, n]), complex, with a @ v = v * w for a f[..., n, n]: the eigenvalues in LAPACK's order, and in columns the eigenvectors, of length 1, of
## which the greatest element is real. Of real a complex values come in pairs of conjugates (to rounding where there is no LAPACK). NaN where a is not finite. Derivatives of
## values and, beyond JAX, of vectors; they are NaN or without bounds where two eigenvalues are equal.
fn eig(a) = _batched(_eig, _square(a, "linalg.eig"))
fn _eig(a) {
    if len(a) == 0 { return (zeros(0, dtype=result_type(a, c64)), a.astype(result_type(a, c64))) }
    let a = if finfo(a).bits < 32 { f32(a) } else { a }
    let scale = _scale(a)
    let (w, v) = schur.eig(a / scale)
    (scale * w, v)
}
## linalg.eigvals(a): the eigenvalues of a general matrix, complex, c[..., n].
fn eigvals(a) = eig(a)[0]

## linalg.eigh(a, UPLO="L", symmetrize_input=true): (w, v) with a @ v = v * w for symmetric a, or complex a = a.H: eigenvalues in increasing order, real,
## eigenvectors in columns. a is made symmetric first, (a + a.H) / 2; without symmetrize_input its lower (UPLO "L") or upper ("U") triangle is read. Which multiple of
## size 1 a complex vector is, is open. Derivatives as in JAX: of complex vectors they have no part along themselves; those of eigenvectors are NaN where two eigenvalues are equal, and so are second ones of such eigenvalues.
fn eigh(a, UPLO="L", symmetrize_input=true) {
    let a = _square(a, "linalg.eigh")
    let upper = _option(UPLO, "`UPLO`", ("L", "U")) == "U"
    _batched(_eigh, if symmetrize_input { a } else { _mirrored(a, upper) })
}
fn _eigh(a) {
    if len(a) == 0 { return (real(a[:, 0:0].reshape(0)), a) }
    let scale = _scale(a)
    let (w, v) = factors.eigen((a / scale + _adjoint(a) / scale) / 2)
    (scale * w, v)
}

## linalg.eigvalsh(a, UPLO="L", symmetrize_input=true): the eigenvalues of a symmetric matrix, or a complex one with a = a.H, in increasing order, real f[..., n].
fn eigvalsh(a, UPLO="L", symmetrize_input=true) =
    eigh(a, UPLO=UPLO, symmetrize_input=symmetrize_input)[0]

## linalg.svd(a, full_matrices=false, compute_uv=true): (u, s, vt) with a = u * s @ vt, s decreasing and real, u f[m, k], vt f[k, n] (of complex a it is v.H),
## k = min(m, n); with full_matrices u f[m, m] and vt f[n, n]; without compute_uv s alone.
## Derivatives as for eigh; those of vectors are also NaN where m is not n and a singular value is 0. Where a change turns a complex vector of u and its partner
## together, the derivative turns u's, as in JAX. The vectors that full_matrices adds turn as little as they can.
fn svd(a, full_matrices=false, compute_uv=true) {
    let full = full_matrices and compute_uv
    let found = _batched(if full { _full_svd } else { _svd }, _matrix(a, "linalg.svd"))
    if compute_uv { found } else { found[1] }
}
fn _full_svd(a) {
    let (u, s, vt) = _svd(a)
    (factors.completed(u), s, factors.completed(vt.T).T)
}
fn _svd(a) {
    if a.shape[0] >= a.shape[1] { return _tall_svd(factors.singular, a) }
    let (u, s, vt) = _tall_svd(factors.singular_of_transpose, a.T)
    (vt.T, s, u.T)
}
fn _tall_svd(singular, a) {
    if a.size == 0 { return (a, zeros(0, dtype=_real_dtype(a)), zeros((0, 0), dtype=a.dtype)) }
    let scale = _scale(a)
    let (u, s, v) = singular(a / scale)
    (u, scale * s, _adjoint(v))
}
## linalg.svdvals(a): the singular values of a real or complex matrix, in decreasing order, real f[..., k].
fn svdvals(a) = svd(a)[1]

fn _tolerance(a) =
    (if a.shape[-1] > a.shape[-2] { a.shape[-1] } else { a.shape[-2] }) * finfo(a).eps

## linalg.matrix_rank(a, rtol=none): of a real or complex matrix the number of singular values above rtol (none: what rounding makes) times the greatest, i32.
fn matrix_rank(a, rtol=none) {
    let a = _matrix(a, "linalg.matrix_rank")
    let s = svdvals(a)
    if s.size == 0 { return zeros(s.shape[:-1], dtype=i32) }
    let small = if rtol == none { _tolerance(a) } else { array(rtol)[..., none] }
    sum(i32(s > small * max(s, axis=-1, keepdims=true)), axis=-1)
}
## linalg.cond(a, p=none): the greatest singular value by the least, f[...], real for complex a too; with p the norm of a times that of its inverse, by matrix_norm's ord.
fn cond(a, p=none) {
    let a = _matrix(a, "linalg.cond")
    if p != none and _known(p) != 2 {
        return matrix_norm(_square(a, "linalg.cond"), ord=p) * matrix_norm(inv(a), ord=p)
    }
    let s = svdvals(a)
    if s.shape[-1] == 0 {
        _refuse("`linalg.cond` of {_type(a)} has no value: it holds no singular values")
    }
    max(s, axis=-1) / min(s, axis=-1)
}

# ---- products; powers and exponentials are the module matrices

## linalg.matrix_power(a, n): a @ a @ ... n times, a real or complex; n < 0 powers of the inverse: matrices.matrix_power.
let matrix_power = matrices.matrix_power
## linalg.multi_dot(list, precision=none): the product of real or complex matrices: matrices.multi_dot.
let multi_dot = matrices.multi_dot
## linalg.expm(a): the exponential of a real or complex matrix: matrices.expm.
let expm = matrices.expm
## linalg.outer(a, b): the global outer; nothing is conjugated.
let outer = outer
## linalg.vecdot(a, b, axis=-1): the global vecdot: sums of conj(a) * b.
let vecdot = vecdot

## linalg.matmul(a, b): a @ b.
let matmul = matmul
## linalg.tensordot(a, b, axes=2): the global tensordot.
let tensordot = tensordot
## linalg.cross(a, b, axis=-1): the global cross.
let cross = cross
## linalg.matrix_transpose(a): the last two axes exchanged; elements are not conjugated.
let matrix_transpose = matrix_transpose
## linalg.diagonal(a, offset=0): the diagonal of the last two axes.
fn diagonal(a, offset=0) = _last_diagonal(a, offset)
## linalg.trace(a, offset=0, dtype=none): the sum of the diagonal of the last two axes.
fn trace(a, offset=0, dtype=none) = sum(_last_diagonal(a, offset), axis=-1, dtype=dtype)
