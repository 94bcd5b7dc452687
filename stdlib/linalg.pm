# Linear algebra on matrices f[..., n, m], written in the language: every function works in compiled code, under vmap,
# and has derivatives.
# The axes before the last two are batch axes. Integers and bools count as floats: i64 and u64 as f64, others as f32.
# Every function also takes complex matrices, c64 and c128.
# In the comments a.H is conj(a.mT), "symmetric" means a = a.H, and "orthonormal" means that q.H @ q is the identity.
# Norms, eigenvalues of symmetric matrices and singular values are real, also of complex matrices, and so are the
# diagonals of the triangular factors of cholesky and qr. Gradients of real results follow the rule of the language:
# that of |z|^2 is 2 conj(z).

## f applied to each matrix of a f[..., n, m], by vmap over the batch axes.
fn _batched(f, a) = if a.ndim == 2 { f(a) } else { vmap(fn(x) = _batched(f, x))(a) }

## a as an array of floats or complex numbers f[..., m, n]. Error messages name the function `what`.
fn _matrix(a, what) = _number(_of_rank_at_least(a, 2, what, "a matrix f[..., m, n]"))
## a as an array of floats or complex numbers f[..., n, n]. Error messages name the function `what`.
fn _square(a, what) {
    let a = _number(_of_rank_at_least(a, 2, what, "a square matrix f[..., n, n]"))
    if a.shape[-1] != a.shape[-2] {
        _refuse("`{what}` needs a square matrix f[..., n, n], got {_type(a)}")
    }
    a
}
## b as an array, which must be a right-hand side f[n] or f[..., n, m] for matrices a of n rows.
fn _right(a, b, what) {
    let b = _of_rank_at_least(b, 1, what, "a right-hand side f[n] or f[..., n, m]")
    if b.shape[if b.ndim == 1 { 0 } else { -2 }] != a.shape[-2] {
        _refuse("`{what}` needs as many rows on the right as in the matrix, got {_type(b)} for {_type(a)}")
    }
    b
}

## a and b converted to their common dtype, a floating or complex one.
fn _together(a, b) {
    let dtype = _number(zeros((), dtype=result_type(a, b))).dtype
    (a.astype(dtype), b.astype(dtype))
}

## The largest power of two that is not above the greatest absolute value in `a`, of complex elements the greatest real
## or imaginary part. It is at least finfo(a).tiny, and 1 if that value is inf or NaN. A matrix is divided by it to keep
## squares from overflow and underflow.
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

## linalg.norm(x, ord=none, axis=none, keepdims=false): the norm of x over `axis`, real.
## If axis is none it is over all axes. If ord is none it is the root of the sum of the squares |x|^2, over any number
## of axes. Over one axis, `ord` is that of vector_norm: 0, 1, 2, a number p, inf or -inf. Over two axes, `ord` is that
## of matrix_norm: "fro", "nuc", 1, -1, 2, -2, inf or -inf. Other numbers of axes with `ord` are errors.
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

## linalg.vector_norm(x, ord=2, axis=none, keepdims=false): the vector norm (sum |x|^ord)^(1 / ord) over `axis`, real.
## If axis is none it is over all axes. ord=0 gives the number of nonzero elements, inf the greatest |x|, and -inf the
## least.
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
## linalg.matrix_norm(x, ord="fro", keepdims=false): the norms of matrices f[..., n, m] -> f[...], real.
## With keepdims the shape is f[..., 1, 1]. "fro": the root of the sum of squares. "nuc": the sum of the singular
## values. 1 and -1: the greatest and least column sum of |x|. inf and -inf: the same of rows. 2 and -2: the greatest
## and least singular value. Other values of `ord` are errors.
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

## linalg.cholesky(a, upper=false, symmetrize_input=true): the lower triangular l with l @ l.H = a, f[..., n, n].
## With `upper` the result is l.H. The diagonal of l is real, also for complex a. Matrices that are not positive
## definite give NaN. By default a is replaced by (a + a.H) / 2. With symmetrize_input=false only its lower triangle is read,
## or its upper triangle with `upper`.
fn cholesky(a, upper=false, symmetrize_input=true) {
    let a = _square(a, "linalg.cholesky")
    let l = _batched(_cholesky, if symmetrize_input { a } else { _mirrored(a, upper) })
    if upper { _adjoint(l) } else { l }
}
## The symmetric matrices with the upper or lower triangles of a. Their diagonals are those of a, with any imaginary
## parts.
fn _mirrored(a, upper) =
    if upper { triu(a) + _adjoint(triu(a, 1)) } else { tril(a) + _adjoint(tril(a, -1)) }
fn _cholesky(a) = if len(a) == 0 { a } else { factors.cholesky((a + _adjoint(a)) / 2) }

## f(x, y) for each matrix x of a f[..., n, n] and its right-hand side y. b f[n] or f[n, m] is used for all matrices.
## The batch axes of a and b f[..., n, m] broadcast.
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

## linalg.solve_triangular(a, b, lower=false, trans=false, unit_diagonal=false): x with a @ x = b for triangular a
## f[..., n, n].
## b is f[n] or f[..., n, m], and batch axes broadcast. Only the upper triangle of a is read, or the lower one with
## `lower`. `trans` chooses the system: false, 0 or "N" a @ x = b, true, 1 or "T" a.T @ x = b, 2 or "C" a.H @ x = b.
## With unit_diagonal the diagonal counts as ones and is not read. a and b may be complex.
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

## linalg.lu_factor(a): the LU factors (lu f[..., n, n], p i32[..., n], sign f[...]) of a f[..., n, n].
## l @ u = a[p] for each matrix. `lu` holds u on and above the diagonal, and below it l, whose diagonal of ones is not
## stored. `sign` is the sign of the permutation p, real. The algorithm is Gaussian elimination with partial pivoting.
## Complex pivots are compared by |real| + |imag|, as in LAPACK.
fn lu_factor(a) = _batched(_lu_factor, _square(a, "linalg.lu_factor"))
fn _lu_factor(a) = if len(a) == 0 {
    (a, zeros(0, dtype=i32), ones((), dtype=_real_dtype(a)))
} else {
    factors.lu(a)
}

## linalg.lu(a): (p, l, u) with p @ l @ u = a f[..., m, n].
## p f[..., m, m] is a permutation matrix, real also for complex a. l f[..., m, k] is lower triangular with ones on the
## diagonal, and u f[..., k, n] upper triangular, with k = min(m, n).
fn lu(a) = _batched(_lu, _matrix(a, "linalg.lu"))
fn _lu(a) {
    let (rows, columns) = a.shape
    let k = min(a.shape)
    let one = eye(rows, dtype=_real_dtype(a))
    if k == 0 { return (one, zeros((rows, 0), dtype=a.dtype), zeros((0, columns), dtype=a.dtype)) }
    let (m, p, _) = factors.rectangular_lu(a)
    (one[p].T, tril(m[:, :k], -1) + one[:, :k], triu(m[:k]))
}

## linalg.solve(a, b): x with a @ x = b for a f[..., n, n] and b f[n] or f[..., n, m].
## a and b may be complex, and batch axes broadcast. x has infinities and NaN where a is singular.
fn solve(a, b) {
    let a = _square(a, "linalg.solve")
    let (a, b) = _together(a, _right(a, b, "linalg.solve"))
    _each(factors.solve, a, b)
}

## linalg.inv(a): the inverse of a f[..., n, n], real or complex. It has infinities and NaN where a is singular.
fn inv(a) = _batched(fn(m) = factors.solve(m, eye(len(m), dtype=m.dtype)), _square(a, "linalg.inv"))

## linalg.det(a): the determinant, f[..., n, n] -> f[...], complex for complex a. The derivatives are correct also for
## singular matrices.
fn det(a) = _det(_square(a, "linalg.det"))
let _det = custom_jvp(
    fn(a) {
        let product = _batched(_product_of_pivots, a)
        if all(isfinite(product)) { return product }
        let (direction, size) = slogdet(a)  # where the product of pivots overflows or is NaN
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
## The determinant of a f[n, n] by Gaussian elimination with complete pivoting, down to the last two rows, which need no
## division. The pivot is the greatest remaining element, so that all remaining elements are 0 if it is 0. The
## elimination then stops. The determinant of the remaining matrix is computed without division, for three rows by
## cofactors. Derivatives are therefore correct also for singular matrices.
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
## The determinant of m[first:, first:], by products and sums only (Bird 2011).
fn _without_division(m, first) {
    let n = len(m)
    let left = arange(n) >= first
    let b = where(left[:, none] and left, m, 0)
    mut f = b
    # no iterations for first = n, so that the loop costs nothing where no pivot is 0
    for _ in 0..maximum(n - 1 - first, 0) {
        let d = diagonal(f)
        f = (triu(f, 1) - diag(sum(d) - cumsum(d))) @ b
    }
    where((n - first) % 2 == 0, -1, 1) * diagonal(f)[minimum(first, n - 1)]
}
fn _det_2(b, product) = product * b[0, 0] * b[1, 1] - product * b[0, 1] * b[1, 0]
## (m, product, pivot) after a step of the elimination. The greatest element of m[k:, k:] is exchanged to m[k, k], and
## column k becomes 0 below it. `product` is multiplied by this pivot and by the sign of the exchanges.
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
## linalg.slogdet(a): (sign, log(abs(det(a)))), f[..., n, n] -> f[...] each.
## The sign is -1, 0 or 1. For complex a it is a complex number of absolute value 1, or 0.
fn slogdet(a) = _batched(_slogdet, _square(a, "linalg.slogdet"))
fn _slogdet(a) {
    let (m, _, s) = _lu_factor(a)
    let d = diagonal(m)
    (s * prod(_direction(d)), sum(log(abs(d))))
}
## x / |x|, 0 for 0. For complex x its derivative is that of the phase, whereas `sign` counts as constant.
fn _direction(x) {
    if not iscomplexobj(x) { return sign(x) }
    let size = abs(x)
    where(size == 0, 0, x / where(size == 0, 1, size))
}

## linalg.cho_solve(l, b): x with l @ l.H @ x = b for a factor l f[..., n, n] from cholesky.
## b is f[n] or f[..., n, m], and batch axes broadcast. Only the lower triangle of l is read. `l` may also be the pair
## (c, lower) from cho_factor. x has infinities and NaN where l has a 0 on its diagonal, and NaN where l is NaN because
## a is not positive definite.
fn cho_solve(l, b) {
    let low = if kind(l) != "tuple" { l } else if l[1] { l[0] } else { _adjoint(l[0]) }
    solve_triangular(low, solve_triangular(low, b, lower=true), lower=true, trans="C")
}

# ---- least squares and structured matrices, defined in the module matrices

## linalg.lstsq(a, b, rcond=none): (x, residuals, rank, singular values), where x minimizes |a @ x - b|.
## a and b may be complex. It is matrices.lstsq.
let lstsq = matrices.lstsq
## linalg.pinv(a, rtol=none, rcond=none): the pseudoinverse of real or complex matrices, f[..., m, n] -> f[..., n, m].
## It is matrices.pinv.
let pinv = matrices.pinv
## linalg.cho_factor(a, lower=false): (c, lower) for cho_solve, where c is cholesky(a) if `lower`, else its conjugate
## transpose. It is matrices.cho_factor.
let cho_factor = matrices.cho_factor
## linalg.lu_solve(lu, b, trans=0): x with a @ x = b, for lu = lu_factor(a).
## trans=1 solves a.T @ x = b, trans=2 a.H @ x = b. a and b may be complex. It is matrices.lu_solve.
let lu_solve = matrices.lu_solve
## linalg.tridiagonal_solve(dl, d, du, b): x with a @ x = b for a tridiagonal matrix a.
## d is its diagonal, dl the diagonal below, du the one above. It is matrices.tridiagonal_solve.
let tridiagonal_solve = matrices.tridiagonal_solve
## linalg.tensorsolve(a, b, axes=none): x with tensordot(a, x, x.ndim) = b, real or complex. It is matrices.tensorsolve.
let tensorsolve = matrices.tensorsolve
## linalg.tensorinv(a, ind=2): the inverse of the linear map x -> tensordot(a, x, a.ndim - ind).
## a f[first..., rest...] with `ind` first axes gives f[rest..., first...]. a may be complex. It is matrices.tensorinv.
let tensorinv = matrices.tensorinv
## linalg.block_diag(a, b, ...): the matrix with the given real or complex blocks along the diagonal, zeros elsewhere.
## It is matrices.block_diag.
let block_diag = matrices.block_diag
## linalg.toeplitz(c, r=none): the Toeplitz matrix with first column c f[n] and first row r f[m], f[n, m].
## If r is none it is c, which unlike in SciPy is not conjugated. It is matrices.toeplitz.
let toeplitz = matrices.toeplitz
## linalg.hankel(c, r=none): the Hankel matrix with first column c f[n] and last row r f[m], f[n, m].
## If r is none it is zeros. It is matrices.hankel.
let hankel = matrices.hankel
## linalg.circulant(c): the circulant matrix f[n, n] with first column c f[n]. It is matrices.circulant.
let circulant = matrices.circulant
## linalg.hilbert(n): the Hilbert matrix 1 / (i + j + 1), f32[n, n]. It is matrices.hilbert.
let hilbert = matrices.hilbert

## linalg.companion(p): the companion matrices of polynomials p f[..., n], f[..., n - 1, n - 1]. It is
## matrices.companion.
let companion = matrices.companion
## linalg.fiedler_companion(p): companion matrices of p f[..., n] with five diagonals, f[..., n - 1, n - 1]. It is
## matrices.fiedler_companion.
let fiedler_companion = matrices.fiedler_companion
## linalg.fiedler(a): the matrices |a[i] - a[j]| of vectors a f[..., n], f[..., n, n]. It is matrices.fiedler.
let fiedler = matrices.fiedler
## linalg.leslie(f, s): the Leslie matrices with first row f f[..., n] and subdiagonal s f[..., n - 1]. It is
## matrices.leslie.
let leslie = matrices.leslie
## linalg.convolution_matrix(a, n, mode="full"): the matrix m with m @ v = convolve(a, v, mode=mode) for v f[n]. It is
## matrices.convolution_matrix.
let convolution_matrix = matrices.convolution_matrix
## linalg.hadamard(n, dtype=i32): the Hadamard matrix of 1 and -1, [n, n]. `n` is a power of 2. It is matrices.hadamard.
let hadamard = matrices.hadamard
## linalg.dft(n, scale=none, dtype=c64): the matrix of the discrete Fourier transform, c[n, n]. `scale` is none, "sqrtn"
## or "n". It is matrices.dft.
let dft = matrices.dft
## linalg.helmert(n, full=false, dtype=f32): the Helmert matrix of orthonormal contrasts, f[n - 1, n]. It is
## matrices.helmert.
let helmert = matrices.helmert
## linalg.invhilbert(n, dtype=f32): the inverse of hilbert(n), f[n, n]. It is matrices.invhilbert.
let invhilbert = matrices.invhilbert
## linalg.pascal(n, kind="symmetric", dtype=f32): the Pascal matrix, f[n, n]. Other kinds are "lower" and "upper". It is
## matrices.pascal.
let pascal = matrices.pascal
## linalg.invpascal(n, kind="symmetric", dtype=f32): the inverse of pascal(n, kind), f[n, n]. It is matrices.invpascal.
let invpascal = matrices.invpascal

# ---- orthogonal factors, eigenvalues and singular values

## linalg.qr(a, mode="reduced"): (q, r) with a = q @ r, q with orthonormal columns, r upper triangular.
## a f[..., m, n] gives q f[..., m, k] and r f[..., k, n], k = min(m, n). mode "complete" gives q f[..., m, m] and r
## f[..., m, n], "r" only r, and "raw" (h.mT, taus) from geqrf. Householder reflections are used: the diagonal of r is
## real, also for complex a, and of either sign.
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

## linalg.geqrf(a): (h f[..., m, n], taus f[..., k]) of a f[..., m, n], the QR factors as LAPACK packs them.
## k = min(m, n). r of a = q @ r is on and above the diagonal of h. The Householder vectors v are below it, and their
## elements 1 on the diagonal are not stored. q is the product of the reflections 1 - taus[i] v @ v.H. The derivatives
## are unbounded, like those of qr, where the first k columns are linearly dependent.
fn geqrf(a) = _batched(reflections.geqrf, _matrix(a, "linalg.geqrf"))
## linalg.householder_product(a, taus): the first n columns f[..., m, n] of a product of Householder reflections.
## a f[..., m, n] with m >= n and taus f[..., k] with k <= n hold the reflections as geqrf returns them. All columns of
## h from geqrf give the reduced q, if m >= n. h padded with columns of zeros to f[..., m, m] gives the complete q.
## Other shapes are errors.
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

## linalg.eig(a): the complex eigenvalues w c[..., n] and eigenvectors v c[..., n, n] of a f[..., n, n].
## a @ v = v * w. The eigenvalues are in the order of LAPACK's geev. The eigenvectors are the columns of v. They have
## length 1, and their greatest element is real. For real a, complex eigenvalues come in conjugate pairs (up to rounding
## if there is no LAPACK). Matrices with inf or NaN give NaN. Derivatives exist for eigenvalues and, beyond JAX, for
## eigenvectors. They are NaN or unbounded where two eigenvalues are equal.
fn eig(a) = _batched(_eig, _square(a, "linalg.eig"))
fn _eig(a) {
    if len(a) == 0 { return (zeros(0, dtype=result_type(a, c64)), a.astype(result_type(a, c64))) }
    let a = if finfo(a).bits < 32 { f32(a) } else { a }
    let scale = _scale(a)
    let (w, v) = eigen.eig(a / scale)
    (scale * w, v)
}
## linalg.eigvals(a): the eigenvalues of general matrices, f[..., n, n] -> c[..., n] in the order of eig, complex.
fn eigvals(a) = eig(a)[0]

## linalg.eigh(a, UPLO="L", symmetrize_input=true): (w f[..., n], v f[..., n, n]), the eigenvalues and eigenvectors of
## symmetric a.
## a @ v = v * w, for real a or complex a = a.H. w is real and in increasing order. The eigenvectors are the columns of
## v, and their signs (complex: phases) are not specified. By default a is replaced by (a + a.H) / 2. With
## symmetrize_input=false only its lower triangle (UPLO "L") or its upper one ("U") is read. Derivatives are as in JAX:
## that of an eigenvector has no component along the vector. The derivatives of eigenvectors are NaN where two
## eigenvalues are equal, and so are the second derivatives of these eigenvalues.
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

## linalg.eigvalsh(a, UPLO="L", symmetrize_input=true): the eigenvalues of symmetric matrices in increasing order, real
## f[..., n]. Complex a = a.H and the parameters are as in eigh.
fn eigvalsh(a, UPLO="L", symmetrize_input=true) =
    eigh(a, UPLO=UPLO, symmetrize_input=symmetrize_input)[0]

## linalg.svd(a, full_matrices=false, compute_uv=true): (u, s, vt) with a = u * s @ vt, singular values s real and
## decreasing.
## a f[..., m, n] gives u f[..., m, k], s f[..., k] and vt f[..., k, n], k = min(m, n). vt is v.H for complex a. With
## full_matrices u is f[..., m, m] and vt f[..., n, n]. With compute_uv=false the result is s alone.
## The derivatives of singular vectors are NaN where two singular values are equal, and where one is 0 and m is not n. A
## change of a determines only the relative phase of a complex vector of u and its partner in vt. The derivative assigns
## it to u, as in JAX. The derivatives of the vectors that full_matrices adds lie in the span of the others.
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
## linalg.svdvals(a): the singular values of real or complex matrices in decreasing order, f[..., m, n] -> f[..., k],
## real.
fn svdvals(a) = svd(a)[1]

fn _tolerance(a) =
    (if a.shape[-1] > a.shape[-2] { a.shape[-1] } else { a.shape[-2] }) * finfo(a).eps

## linalg.matrix_rank(a, rtol=none): the rank of real or complex matrices, f[..., m, n] -> i32[...].
## It is the number of singular values above rtol times the greatest. If rtol is none it is max(m, n) eps.
fn matrix_rank(a, rtol=none) {
    let a = _matrix(a, "linalg.matrix_rank")
    let s = svdvals(a)
    if s.size == 0 { return zeros(s.shape[:-1], dtype=i32) }
    let small = if rtol == none { _tolerance(a) } else { array(rtol)[..., none] }
    sum(i32(s > small * max(s, axis=-1, keepdims=true)), axis=-1)
}
## linalg.cond(a, p=none): the condition number of matrices f[..., m, n] -> f[...], real.
## If p is none or 2 it is the greatest singular value divided by the least. For other p, a norm of matrix_norm, it is
## the norm of a times the norm of its inverse, and a must be square. Matrices without elements are errors.
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

# ---- Schur forms and functions of matrices, defined in the module matrix_functions

## linalg.hessenberg(a, calc_q=false): the Hessenberg form h of a = q @ h @ q.H, or (h, q) with calc_q. It is
## matrix_functions.hessenberg.
let hessenberg = matrix_functions.hessenberg
## linalg.schur(a, output="real"): the Schur form (t, z) of a = z @ t @ z.H, f[..., n, n] each. z is unitary.
## t is upper triangular. For real a and output="real" it is real, with a block of two rows for each pair of complex
## eigenvalues. It is matrix_functions.schur.
let schur = matrix_functions.schur
## linalg.rsf2csf(t, z): the complex Schur form from the real one, c[..., n, n] each. It is matrix_functions.rsf2csf.
let rsf2csf = matrix_functions.rsf2csf
## linalg.solve_sylvester(a, b, c): the solution x f[..., m, n] of a @ x + x @ b = c, real or complex. It is
## matrix_functions.solve_sylvester.
let solve_sylvester = matrix_functions.solve_sylvester
## linalg.sqrtm(a): the principal square root of matrices f[..., n, n], complex. It is matrix_functions.sqrtm.
let sqrtm = matrix_functions.sqrtm
## linalg.funm(a, func): the function of matrices that func(z) defines on their eigenvalues, complex. It is
## matrix_functions.funm.
let funm = matrix_functions.funm
## linalg.expm_frechet(a, e, compute_expm=true): (expm(a), its derivative at a in the direction e). It is
## matrix_functions.expm_frechet.
let expm_frechet = matrix_functions.expm_frechet
## linalg.polar(a, side="right"): the polar factors (u, p) of a = u @ p, or a = p @ u for side="left". It is
## matrix_functions.polar.
let polar = matrix_functions.polar
## linalg.qr_multiply(a, c, mode="right", conjugate=false): (c @ q, r), or (q @ c, r) with mode="left", for a = q @ r. It
## is matrix_functions.qr_multiply.
let qr_multiply = matrix_functions.qr_multiply
## linalg.eigh_tridiagonal(d, e, eigvals_only=false, select="a", select_range=none): the eigenvalues, or (w, v) with the
## eigenvectors, of symmetric tridiagonal matrices. It is matrix_functions.eigh_tridiagonal.
let eigh_tridiagonal = matrix_functions.eigh_tridiagonal

# ---- products. Powers and exponentials are defined in the module matrices.

## linalg.matrix_power(a, n): the n-th power of a f[..., n, n], real or complex.
## `n` is an integer known at compile time. For n < 0 it is a power of the inverse. It is matrices.matrix_power.
let matrix_power = matrices.matrix_power
## linalg.multi_dot(matrices, precision=none): the product of a tuple of real or complex matrices, from the left. It is
## matrices.multi_dot.
let multi_dot = matrices.multi_dot
## linalg.expm(a): the exponential of real or complex matrices, f[..., n, n]. It is matrices.expm.
let expm = matrices.expm
## linalg.outer(a, b): a[i] * b[j], f[n], f[m] -> f[n, m], without conjugation. It is the global outer.
let outer = outer
## linalg.vecdot(a, b, axis=-1): the sum of conj(a) * b along `axis`. It is the global vecdot.
let vecdot = vecdot

## linalg.matmul(a, b): the matrix product a @ b over the last two axes, with broadcast batch axes. It is the global
## matmul.
let matmul = matmul
## linalg.tensordot(a, b, axes=2): the sum of products over the last `axes` axes of a and the first of b.
## `axes` may also be a pair (axes of a, axes of b). It is the global tensordot.
let tensordot = tensordot
## linalg.cross(a, b, axis=-1): the vector product along an axis of size 3 or 2. It is the global cross.
let cross = cross
## linalg.matrix_transpose(a): a with its last two axes exchanged, without conjugation.
let matrix_transpose = matrix_transpose
## linalg.diagonal(a, offset=0): the diagonal of the last two axes.
fn diagonal(a, offset=0) = _last_diagonal(a, offset)
## linalg.trace(a, offset=0, dtype=none): the sum of the diagonal of the last two axes.
fn trace(a, offset=0, dtype=none) = sum(_last_diagonal(a, offset), axis=-1, dtype=dtype)
