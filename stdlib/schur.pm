# Inner module of linalg: eigenvalues and eigenvectors of general matrices, real or complex, with derivatives of every
# order. LAPACK's geev is used where the system has it. Elsewhere Householder reflections reduce the matrix to
# Hessenberg form, and the shifted QR algorithm in complex numbers follows (Golub and Van Loan, Matrix Computations, 7.4
# and 7.5).

## schur.eig(a): (w c[n], v c[n, n]), the eigenvalues and eigenvectors of a f[n, n], real or complex.
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

## (h, q) with a = q @ h @ conj(q.T), h in Hessenberg form (zero below the first subdiagonal), q unitary.
fn _hessenberg(a) {
    let n = len(a)
    let i = arange(n)
    mut (h, q) = (a, eye(n, dtype=a.dtype))
    for k in 0..n - 2 {
        let x = where(i > k, h[:, k], 0)
        let below = sum(where(i > k + 1, _squares(x), 0))
        let size = abs(x[k + 1])
        let phase = where(size == 0, 1, x[k + 1] / where(size == 0, 1, size))
        let v = x with [k + 1] += phase * sqrt(below + size * size)
        let scale = where(below == 0, 0, 2 / where(below == 0, 1, sum(_squares(v))))
        h = h - scale * outer(v, conj(v) @ h)
        h = h - scale * outer(h @ v, conj(v))
        q = q - scale * outer(q @ v, conj(v))
    }
    (h, q)
}

## The Schur form (t, q) with a = q @ t @ conj(q.T), t upper triangular, q unitary. t is NaN if 30 n steps do not
## suffice.
fn _triangular_form(a) {
    let n = len(a)
    let eps = finfo(a).eps
    let i = arange(n)
    mut (h, q) = _hessenberg(a)
    let least = eps * max(abs(h), initial=0.0)
    mut last = n - 1
    mut (steps, tries) = (0, 0)
    while last > 0 and steps < 30 * n {
        let d = abs(diagonal(h))
        let near = eps * (d + roll(d, 1))
        let small = abs(h[i, i - 1]) <= where(near == 0, least, near)
        let first = max(where(small and i <= last, i, 0))
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
