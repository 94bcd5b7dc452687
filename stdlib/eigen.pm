# Inner module of linalg: eigenvalues, eigenvectors and Schur forms of general matrices, real or complex, with derivatives
# of every order. For eigenvectors LAPACK's geev is used where the system has it. Elsewhere Householder reflections reduce the matrix to
# Hessenberg form, and the shifted QR algorithm in complex numbers follows (Golub and Van Loan, Matrix Computations, 7.4
# and 7.5).

## eigen.eig(a): (w c[n], v c[n, n]), the eigenvalues and eigenvectors of a f[n, n], real or complex.
## a @ v = v * w. The eigenvectors are the columns of v. They have length 1, and their greatest element is real. The
## derivatives of eigenvectors are NaN where two eigenvalues are equal.
let eig = custom_jvp(
    fn(a) {
        if len(a) > 1 and _has_factors(len(a), by_device=false) { return _by_lapack(a) }
        let z = a.astype(result_type(a, c64))
        let (t, q) = _triangular_form(z)
        (diagonal(t), _with_real_greatest(q @ _vectors(t)))
    },
    fn((a,), (da,)) {
        let (w, v) = eig(a)
        let turned = factors.solve(v, da.astype(v.dtype) @ v)
        let beside = eye(len(w)) == 0
        let gap = where(beside, w - w[:, none], 1)
        let dv = v @ where(beside, factors._by_gap(turned, gap, w), 0)
        # The vectors keep their length, and their greatest element keeps its phase.
        let greatest = argmax(_squares(v), axis=0)[none]
        let turn = take_along_axis(dv, greatest, axis=0) / take_along_axis(v, greatest, axis=0)
        let length = sum(real(conj(v) * dv), axis=0, keepdims=true)
        ((w, v), (diagonal(turned), dv - v * complex(length, imag(turn))))
    },
)
fn _by_lapack(a) {
    let (w, v) = _factorize(a, "eig")
    (complex(w[0], w[1]), complex(v[0], v[1]))
}

## The columns of v, scaled to length 1 and to a real greatest element.
fn _with_real_greatest(v) {
    let v = v / sqrt(sum(_squares(v), axis=0))
    let greatest = take_along_axis(v, argmax(_squares(v), axis=0)[none], axis=0)
    v * (conj(greatest) / abs(greatest))
}

## eigen.hessenberg(a): (h, q) with a = q @ h @ conj(q.T), h zero below the first subdiagonal, q unitary, by Householder
## reflections. The subdiagonal is real. Its elements have the signs of LAPACK's.
fn hessenberg(a) {
    let n = len(a)
    let i = arange(n)
    mut (h, q) = (a, eye(n, dtype=a.dtype))
    # The last reflection changes only the phase of one element, which real matrices do not need.
    for k in 0..if iscomplexobj(a) { n - 1 } else { n - 2 } {
        let x = where(i > k, h[:, k], 0)
        let below = sum(where(i > k + 1, _squares(x), 0))
        let first = x[k + 1]
        let reflect = if iscomplexobj(a) { below > 0 or imag(first) != 0 } else { below > 0 }
        let length = sqrt(where(reflect, below + _squares(first), 1))
        let v = x with [k + 1] = where(real(first) < 0, first - length, first + length)
        let weight = where(reflect, factors._weight(v, x, k + 1, length), 1)
        let scale = where(reflect, 2 / weight, 0)
        h = h - conj(scale) * outer(v, conj(v) @ h)
        h = h - scale * outer(h @ v, conj(v))
        q = q - scale * outer(q @ v, conj(v))
    }
    if iscomplexobj(h) { h = complex(real(h), where(i[:, none] == i + 1, 0, imag(h))) }
    (triu(h, -1), q)
}

## eigen.form(a): the Schur form (t, q) with a = q @ t @ conj(q.T), of a complex a. t is upper triangular, q unitary.
## The derivatives are those with which conj(q.T) @ dq has a diagonal of zeros. They are NaN or unbounded where two
## eigenvalues are equal.
let form = custom_jvp(
    fn(a) = _triangular_form(a),
    fn((a,), (da,)) {
        let (t, q) = form(a)
        let m = _adjoint(q) @ da @ q
        let lower = _below(t, m)
        let turn = lower - _adjoint(lower)
        ((t, q), (triu(m + t @ turn - turn @ t), q @ turn))
    },
)
## The strictly lower triangular x for which the part of m + t @ x - x @ t below the diagonal is 0, for an upper
## triangular t.
fn _below(t, m) {
    let i = arange(len(t))
    mut x = zeros_like(t)
    for j in 0..len(t) {
        let later = i > j
        let shifted = where(later[:, none] and later, t - t[j, j] * eye(len(t), dtype=t.dtype), 0)
        let system = shifted + diag(where(later, 0, 1).astype(t.dtype))
        let right = where(later, x @ where(i < j, t[:, j], 0) - m[:, j], 0)
        x = x with [:, j] = factors.triangular(system, right, false, false, false)
    }
    x
}

## The first row of the active block that ends at row `last` of a Hessenberg matrix h: above it the subdiagonal is
## negligible. `least` is the size at which it is so beside zeros.
fn _first_active(h, last, least) {
    let i = arange(len(h))
    let d = abs(diagonal(h))
    let near = finfo(h).eps * (d + roll(d, 1))
    let small = abs(h[i, i - 1]) <= where(near == 0, least, near)
    max(where(small and i <= last, i, 0))
}
## The Schur form (t, q) with a = q @ t @ conj(q.T), t upper triangular, q unitary. t is NaN if 30 n steps do not
## suffice.
fn _triangular_form(a) {
    let n = len(a)
    mut (h, q) = hessenberg(a)
    let least = finfo(a).eps * max(abs(h), initial=0.0)
    mut last = n - 1
    mut (steps, tries) = (0, 0)
    while last > 0 and steps < 30 * n {
        let first = _first_active(h, last, least)
        if first == last {
            last = last - 1
            tries = 0
        } else {
            (h, q) = _chased(h, q, first, last, _shift(h, last, tries))
            steps = steps + 1
            tries = tries + 1
        }
    }
    (where(last > 0, nan, triu(h)), q)
}
## Wilkinson's shift: the eigenvalue of the last two rows and columns that is nearer to their last element. Every tenth
## try uses an exceptional shift instead.
fn _shift(h, last, tries) {
    let (a, b, c, d) = (h[last - 1, last - 1], h[last - 1, last], h[last, last - 1], h[last, last])
    let half = (a - d) / 2
    let root = sqrt(half * half + b * c)
    let sum = where(abs(half + root) < abs(half - root), half - root, half + root)
    let shift = d - where(sum == 0, 0, b * c / where(sum == 0, 1, sum))
    where(tries % 10 == 9, d + abs(c), shift)
}
## (h, q) after a step of the shifted QR algorithm on the rows and columns from `first` to `last`. The first rotation
## makes a nonzero element below the subdiagonal (the bulge), which the other rotations chase to the end.
fn _chased(h, q, first, last, shift) {
    mut (h, q) = (h, q)
    for k in first..last {
        let before = maximum(k - 1, 0)
        let x = where(k == first, h[k, k] - shift, h[k, before])
        let y = where(k == first, h[k + 1, k], h[k + 1, before])
        let size = sqrt(_squares(x) + _squares(y))
        let safe = where(size == 0, 1, size)
        let (c, s) = (where(size == 0, 1, x / safe), y / safe)
        let (row, next) = (h[k], h[k + 1])
        h = h with [k] = conj(c) * row + conj(s) * next with [k + 1] = c * next - s * row
        h = _turned(h, k, c, s)
        q = _turned(q, k, c, s)
    }
    (h, q)
}
fn _turned(m, k, c, s) {
    let (x, y) = (m[:, k], m[:, k + 1])
    m with [:, k] = c * x + s * y with [:, k + 1] = conj(c) * y - conj(s) * x
}

## The eigenvectors of an upper triangular t, as the columns of an upper triangular matrix. Equal eigenvalues are
## separated by a difference of the size of rounding.
fn _vectors(t) {
    let n = len(t)
    let j = arange(n)
    let w = diagonal(t)
    let least = maximum(finfo(t).eps * max(abs(t)), finfo(t).tiny)
    mut x = zeros_like(t)
    for step in 0..n {
        let i = n - 1 - step
        let gap = w[i] - w
        let row = -(t[i] @ x) / where(abs(gap) < least, least, gap)
        x = x with [i] = where(j == i, 1, where(j > i, row, 0))
        x = x / maximum(1, abs(x[i]))  # columns that grow without bounds must not overflow
    }
    x
}

# ---- the real Schur form

## eigen.real_form(a): the real Schur form (t, q) with a = q @ t @ q.T, of a real a. q is orthogonal.
## t is upper triangular but for blocks of two rows, one for each pair of complex eigenvalues. Such a block has equal
## diagonal elements, and its other elements have opposite signs, as in LAPACK. The derivatives are NaN or unbounded
## where two eigenvalues are equal, and where the elements beside the diagonal of a block differ in sign only.
## The algorithm is Francis' QR algorithm with double shifts (Golub and Van Loan, Matrix Computations, 7.5).
let real_form = custom_jvp(
    fn(a) = _quasi_triangular_form(a),
    fn((a,), (da,)) {
        let (t, q) = real_form(a)
        let (dt, turn) = _real_slope(t, q.T @ da @ q)
        ((t, q), (dt, q @ turn))
    },
)
## (dt, x) of a real Schur form t, where m + t @ x - x @ t = dt for a skew-symmetric x.
fn _real_slope(t, m) {
    let n = len(t)
    let i = arange(n)
    let second = i > 0 and t[i, i - 1] != 0
    let block = i - cumsum(second)
    # Between the blocks x is that of the complex form.
    let (c, u) = complex_form(t, eye(n, dtype=t.dtype))
    let between = real(u @ _below(c, _adjoint(u) @ m @ u) @ _adjoint(u))
    let lower = where(block[:, none] > block, between, 0)
    let x = lower - lower.T
    # In a block the change is a rotation, which keeps the diagonal elements equal.
    let d = diagonal(m + t @ x - x @ t)
    let (above, below) = (t[i - 1, i], t[i, i - 1])
    let angle = where(second, (d - roll(d, 1)) / where(second, 2 * (above + below), 1), 0)
    let turned = diag(angle[1:], -1)
    let turn = x + turned - turned.T
    (where(block[:, none] > block, 0, m + t @ turn - turn @ t), turn)
}

fn _quasi_triangular_form(a) {
    let n = len(a)
    let (start, first_q) = hessenberg(a)
    # One more row and column, so that three rows from any row on are a slice.
    mut (h, q) = (pad(start, (0, 1)), pad(first_q, ((0, 0), (0, 1))))
    let least = finfo(a).eps * max(abs(h), initial=0.0)
    mut last = n - 1
    mut (steps, tries) = (0, 0)
    while last > 0 and steps < 30 * n {
        let first = _first_active(h, last, least)
        if first > 0 { h = h with [first, first - 1] = 0 }
        if first >= last - 1 {
            if first < last { (h, q) = _standardized(h, q, first) }
            last = first - 1
            tries = 0
        } else {
            (h, q) = _doubly_chased(h, q, first, last, tries)
            steps = steps + 1
            tries = tries + 1
        }
    }
    (where(last > 0, nan, triu(h[:n, :n], -1)), q[:, :n])
}
## (h, q) after a step with two shifts on the rows and columns from `first` to `last`, at least three. The shifts are
## the eigenvalues of the last two rows and columns. Every tenth try uses exceptional shifts instead.
fn _doubly_chased(h, q, first, last, tries) {
    let c = h[last, last - 1]
    let size = abs(c) + abs(h[last - 1, last - 2])
    let exceptional = tries % 10 == 9
    # The shifts are the roots of (x - a) * (x - d) - b * c.
    let d = h[last, last] + where(exceptional, 0.75 * size, 0)
    let a = where(exceptional, d, h[last - 1, last - 1])
    let (b, c) =
        (where(exceptional, -0.4375 * size, h[last - 1, last]), where(exceptional, size, c))
    # The first column of (h - shift) @ (h - other shift), divided by `scale`. It is computed from differences, which
    # keep their digits where the eigenvalues are close together.
    let (x, y) = (h[first, first], h[first + 1, first])
    let scale = maximum(maximum(abs(a - x), abs(d - x)), maximum(abs(y), abs(c)))
    let safe = where(scale == 0, 1, scale)
    let start = stack((
        (a - x) / safe * (d - x) - b * (c / safe) + h[first, first + 1] * (y / safe),
        (y / safe) * (h[first + 1, first + 1] - x - (a - x) - (d - x)),
        (y / safe) * h[first + 2, first + 1],
    ))
    mut (h, q) = (h, q)
    for k in first..last {
        let before = maximum(k - 1, 0)
        let column = where(k == first, start, h[k:+3, before])
        let (v, scale) = _reflection(where(k + arange(3) <= last, column, 0))
        let rows = h[k:+3]
        let made = rows - scale * outer(v, v @ rows)
        # The column before the bulge becomes 0 below its first element.
        let cleared = arange(3)[:, none] > 0 and k > first and arange(made.shape[1]) == before
        h = h with [k:+3] = where(cleared, 0, made)
        h = _reflected_columns(h, k, v, scale)
        q = _reflected_columns(q, k, v, scale)
    }
    (h, q)
}
fn _reflected_columns(m, k, v, scale) {
    let columns = m[:, k:+3]
    m with [:, k:+3] = columns - scale * outer(columns @ v, v)
}
## (v, scale) with x - scale * v * (v @ x) = (length of x, 0, 0) up to its sign.
fn _reflection(x) {
    let size = max(abs(x))
    let y = x / where(size == 0, 1, size)
    let length = sqrt(sum(y * y))
    let v = y with [0] += where(y[0] < 0, -length, length)
    (v, where(size == 0, 0, 2 / where(size == 0, 1, sum(v * v))))
}
## (h, q) with the rows and columns k and k + 1 rotated such that their block is upper triangular, or has equal diagonal
## elements if its eigenvalues are complex.
fn _standardized(h, q, k) {
    let (a, b, c, d) = (h[k, k], h[k, k + 1], h[k + 1, k], h[k + 1, k + 1])
    let half = (a - d) / 2
    let inner = half * half + b * c
    let splits = inner >= 0
    # two real eigenvalues: the first column becomes an eigenvector
    let z = half + where(half < 0, -1, 1) * sqrt(where(splits, inner, 0))
    # two complex ones
    let sign = where(b + c < 0, -1, 1)
    let width = sign * sqrt((b + c) ** 2 + (a - d) ** 2)
    let (x, y) = if splits { (z, c) } else { (abs(width) + abs(b + c), -sign * (a - d)) }
    let length = sqrt(x * x + y * y)
    let safe = where(length == 0, 1, length)
    let (cos, sin) = (where(length == 0, 1, x / safe), where(length == 0, 0, y / safe))
    let (row, next) = (h[k], h[k + 1])
    mut m = h with [k] = cos * row + sin * next with [k + 1] = cos * next - sin * row
    m = _turned(m, k, cos, sin)
    # The elements of the block follow from its invariants, without cancellation.
    let skew = b - c
    let large = (skew + where(skew < 0, -1, 1) * abs(width)) / 2
    let small = where(splits, 0, inner / where(splits, 1, large))
    let straight = skew * width >= 0
    let (above, below) = (where(straight, large, -small), where(straight, small, -large))
    let middle = (a + d) / 2
    m = m with [k, k] = where(splits, d + z, middle)
    m = m
        with [k + 1, k + 1] = where(
            splits,
            where(z == 0, d, d - b * c / where(z == 0, 1, z)),
            middle,
        )
    m = m with [k, k + 1] = where(splits, skew, above)
    m = m with [k + 1, k] = where(splits, 0, below)
    (m, _turned(q, k, cos, sin))
}

## eigen.complex_form(t, q): the complex Schur form (triangle, unitary) of q @ t @ conj(q.T), for a real Schur form t.
## Each block of two rows is rotated into a triangle. The eigenvalue with positive imaginary part comes first.
fn complex_form(t, q) {
    let n = len(t)
    let dtype = result_type(t, q, c64)
    mut (m, u) = (t.astype(dtype), q.astype(dtype))
    for step in 1..n {
        let k = n - 1 - step
        let (a, b, c, d) = (m[k, k], m[k, k + 1], m[k + 1, k], m[k + 1, k + 1])
        let paired = abs(c) > finfo(m).eps * (abs(a) + abs(d))
        let half = (a - d) / 2
        let root = sqrt(where(paired, half * half + b * c, 1))
        let x = half + where(imag(root) < 0, -root, root)
        let length = sqrt(where(paired, _squares(x) + _squares(c), 1))
        let (cos, sin) = (where(paired, x / length, 1), where(paired, c / length, 0))
        let (row, next) = (m[k], m[k + 1])
        m = m with [k] = conj(cos) * row + conj(sin) * next with [k + 1] = cos * next - sin * row
        m = _turned(m, k, cos, sin)
        m = m with [k + 1, k] = 0
        u = _turned(u, k, cos, sin)
    }
    (m, u)
}

test "Schur forms give the matrix back, with their derivatives" {
    let wanted = fn(n) = random.normal(random.key(n), (n, n), dtype=f64)
    for n in (2, 12) {
        let a = wanted(n)
        let (t, q) = real_form(a)
        let (c, u) = complex_form(t, q)
        assert(allclose(q @ t @ q.T, a) and allclose(q.T @ q, eye(n)) and all(tril(t, -2) == 0))
        assert(allclose(u @ c @ conj(u.T), a) and all(tril(c, -1) == 0))
        assert(all(t[arange(1, n), arange(n - 1)] * diagonal(t, 1) <= 0))
    }
    let (a, d) = (wanted(5), wanted(6)[:5, :5])
    let ((t, q), (dt, dq)) = jvp(real_form, (a,), (d,))
    assert(allclose(dq @ t @ q.T + q @ dt @ q.T + q @ t @ dq.T, d) and all((dt == 0) == (t == 0)))
    let e = 1e-6
    let slope = (real_form(a + e * d)[0] - real_form(a - e * d)[0]) / (2 * e)
    assert(allclose(dt, slope, rtol=1e-6, atol=1e-6))
}
