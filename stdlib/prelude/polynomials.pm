# Global functions of polynomials: a vector of coefficients f[n], the highest power first, stands for p[0] x^(n-1) + ... + p[n-1].

## polyval(p, x): p[0] x^(n-1) + ... + p[n-1], by Horner's rule; p f[n] or a tuple, x of any shape.
fn polyval(p, x) {
    mut y = 0 * x + p[0]
    for c in p[1:] { y = y * x + c }
    y
}

## a and b f[k] with zeros in front of the shorter one, in the dtype they meet in.
fn _aligned_polynomials(a, b, what) {
    let (x, y) = (_vector(a, what), _vector(b, what))
    let n = if len(x) > len(y) { len(x) } else { len(y) }
    (pad(x, (n - len(x), 0)), pad(y, (n - len(y), 0)))
}

## polyadd(a, b): the sum of two polynomials, f[n] and f[m] -> f[max(n, m)].
fn polyadd(a, b) {
    let (x, y) = _aligned_polynomials(a, b, "polyadd")
    x + y
}
## polysub(a, b): the difference of two polynomials, f[n] and f[m] -> f[max(n, m)].
fn polysub(a, b) {
    let (x, y) = _aligned_polynomials(a, b, "polysub")
    x - y
}
## polymul(a, b): the product of two polynomials, f[n] and f[m] -> f[n + m - 1].
fn polymul(a, b) = convolve(_vector(a, "polymul"), _vector(b, "polymul"))

## polydiv(a, b): (quotient, remainder) with polyadd(polymul(quotient, b), remainder) = a, by long division; f[n] and f[m]
## -> f[n - m + 1] and f[n]; the remainder keeps its leading zeros. f[1] of zero and a where a is shorter than b.
fn polydiv(a, b) {
    let (x, y) = (_inexact(_vector(a, "polydiv")), _inexact(_vector(b, "polydiv")))
    let (n, m) = (len(x), len(y))
    if n < m { return (zeros(1, dtype=x.dtype), x) }
    mut rest = x
    mut quotient = zeros(n - m + 1, dtype=result_type(x, y))
    for k in 0..n - m + 1 {
        let c = rest[k] / y[0]
        quotient = quotient with [k] = c
        rest = rest with [k:+m] = rest[k:+m] - c * y
    }
    # what was taken away is 0, up to rounding
    (quotient, where(arange(n) <= n - m, 0, rest))
}

## polyder(p, m=1): the derivative of a polynomial, m times, f[n] -> f[max(n - m, 1)].
fn polyder(p, m=1) {
    mut y = _vector(p, "polyder")
    for _ in tuple(0.._count(m, "the `m` of `polyder`")) {
        let n = len(y)
        y = if n < 2 { zeros_like(y) } else { y[:-1] * arange(n - 1, 0, -1) }
    }
    y
}
## polyint(p, m=1, k=none): the antiderivative of a polynomial, m times, f[n] -> f[n + m]; k: the constants, a number or one for each
## time in a tuple or a vector, 0 by default.
fn polyint(p, m=1, k=none) {
    let m = _count(m, "the `m` of `polyint`")
    let constants = if k == none {
        (0,) * m
    } else if kind(k) == "tuple" {
        k
    } else if array(k).ndim == 1 {
        tuple(array(k))
    } else {
        (k,) * m
    }
    if len(constants) != m {
        _refuse("`polyint` needs one constant for each of {m} integrations, got {len(constants)}")
    }
    mut y = _inexact(_vector(p, "polyint"))
    for c in constants {
        y = concatenate((y / arange(len(y), 0, -1), array(c).reshape(1).astype(y.dtype)))
    }
    y
}

## poly(x): the polynomial with these roots f[n], 1 in front, or the characteristic polynomial of a matrix f[n, n] by the rule of
## Faddeev and Le Verrier -> f[n + 1].
fn poly(x) {
    if array(x).ndim == 2 { return _characteristic(_inexact(x)) }
    mut y = ones(1, dtype=_inexact(_vector(x, "poly")).dtype)
    for r in unstack(_inexact(x)) { y = pad(y, (0, 1)) - r * pad(y, (1, 0)) }
    y
}
fn _characteristic(a) {
    let n = len(a)
    if a.shape[1] != n {
        _refuse("`poly` needs roots f[n] or a square matrix f[n, n], got {_type(a)}")
    }
    let one = eye(n, dtype=a.dtype)
    mut c = ones(1, dtype=a.dtype)
    mut m = zeros_like(a)
    for k in tuple(1..n + 1) {
        m = a @ m + c[-1] * one
        c = append(c, -trace(a @ m) / k)
    }
    c
}

## polyfit(x, y, deg, rcond=none, full=false, w=none, cov=false): the polynomial of this degree that comes nearest to y at x, in squares
## weighted by w^2; x f[m], y f[m] or f[m, k] -> f[deg + 1] or f[deg + 1, k]. By linalg.lstsq of the powers of x, each divided
## by its length; directions whose singular value is below rcond (m eps) times the greatest count as none.
## full: (p, residuals f[1] or f[k], rank, singular values, rcond). cov: (p, its covariance f[n, n] or f[n, n, k]), scaled by the
## residuals unless cov is "unscaled".
fn polyfit(x, y, deg, rcond=none, full=false, w=none, cov=false) {
    let n = _count(deg, "the degree of `polyfit`") + 1
    let x = _inexact(_vector(x, "polyfit"))
    let y = _inexact(_of_rank_at_least(y, 1, "polyfit", "values f[m] or f[m, k]"))
    if y.ndim > 2 or len(y) != len(x) {
        _refuse("`polyfit` needs values f[m] or f[m, k] for x f[m], got {_type(y)} and {_type(x)}")
    }
    let powers = vander(x, n)
    let a = if w == none { powers } else { powers * _vector(w, "polyfit")[:, none] }
    let b = if w == none { y } else if y.ndim == 1 { y * w } else { y * w[:, none] }
    let length = sqrt(sum(a * a, axis=0))
    let length = where(length == 0, 1, length)
    let small = if rcond == none { len(x) * finfo(x).eps } else { rcond }
    let (scaled, residuals, rank, s) = matrices._least_squares(a / length, b, small)
    let p = if y.ndim == 1 { scaled / length } else { scaled / length[:, none] }
    if full { return (p, residuals, rank, s, small) }
    if kind(cov) != "str" and not cov { return p }
    let inverse = linalg.inv((a / length).T @ (a / length)) / outer(length, length)
    if kind(cov) == "str" {
        _option(cov, "`cov`", ("unscaled",))
        return (p, inverse)
    }
    if len(x) <= n {
        _refuse("the covariance of `polyfit` needs more points than the {n} coefficients, got {len(x)}")
    }
    let factor = residuals / (len(x) - n)
    (p, if y.ndim == 1 { inverse * factor } else { inverse[:, :, none] * factor })
}

## roots(p, strip_zeros=true): the zeros c[n - 1] of a polynomial, as eigenvalues of its companion matrix. Zeros in front of p are left out; how many there are decides the size of
## the result, so that compiled code needs strip_zeros=false: then the zeros that are missing are NaN, behind the others. Derivatives where no zero is double.
fn roots(p, strip_zeros=true) {
    let p = _number(_vector(p, "roots"))
    let n = len(p)
    let there = p != 0
    if n == 0 { return zeros(0, dtype=result_type(p, c64)) }
    let leading = where(any(there), argmax(there), n)
    if strip_zeros { return _roots(p[_measured(leading, "roots", "strip_zeros=false"):]) }
    let rolled = where(leading == n, 1, p)[(arange(n) + leading) % n]
    let found = _roots(rolled)
    where(arange(n - 1) < n - 1 - leading, found[argsort(found == 0)], nan)
}
fn _roots(p) {
    let n = len(p)
    if n < 2 { return zeros(0, dtype=result_type(p, c64)) }
    linalg.eigvals(eye(n - 1, k=-1, dtype=p.dtype) with [0] = -p[1:] / p[0])
}
