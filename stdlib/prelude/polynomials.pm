# Global functions of polynomials. A vector of coefficients f[n], highest power first, is p[0] x^(n-1) + ... + p[n-1].

## polyval(p, x): the values of a polynomial at x, of the shape of x.
## p holds the coefficients, f[n] or a tuple. The values p[0] x^(n-1) + ... + p[n-1] are computed by Horner's rule.
fn polyval(p, x) {
    mut y = 0 * x + p[0]
    for c in p[1:] { y = y * x + c }
    y
}

## (a, b) as vectors f[max(n, m)], the shorter one padded with leading zeros. Each keeps its dtype.
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

## polydiv(a, b): (quotient, remainder) of two polynomials a f[n] and b f[m], by long division.
## The shapes are f[n - m + 1] and f[n]. polyadd(polymul(quotient, b), remainder) is a. The remainder keeps its leading
## zeros. If a is shorter than b, the results are zero f[1] and a.
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
    # The eliminated coefficients are 0 up to rounding.
    (
        quotient,
        where(arange(n) <= n - m, 0, rest),
    )
}

## polyder(p, m=1): the derivative of order m of a polynomial, f[n] -> f[max(n - m, 1)].
fn polyder(p, m=1) {
    mut y = _vector(p, "polyder")
    for _ in tuple(0.._count(m, "the `m` of `polyder`")) {
        let n = len(y)
        y = if n < 2 { zeros_like(y) } else { y[:-1] * arange(n - 1, 0, -1) }
    }
    y
}
## polyint(p, m=1, k=none): the antiderivative of order m of a polynomial, f[n] -> f[n + m].
## `k` holds the constants of integration, 0 if it is none. It is a number, or a tuple or a vector with one for each of
## the m integrations.
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

## poly(x): the coefficients of the monic polynomial with the roots x f[n], f[n + 1].
## For a matrix x f[n, n] it is the characteristic polynomial, by the method of Faddeev and Le Verrier.
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

## polyfit(x, y, deg, rcond=none, full=false, w=none, cov=false): the least-squares polynomial of degree `deg`.
## x f[m] are the points and y f[m] or f[m, k] the values -> p f[deg + 1] or f[deg + 1, k]. Squared residuals are
## weighted by w^2, with w f[m]. The powers of x, each divided by its norm, are the columns of a linalg.lstsq problem.
## Singular values below `rcond` times the greatest count as 0. The default is m eps. full=true gives (p, residuals,
## rank, singular values, rcond), with residuals f[1] or f[k]. cov=true gives (p, covariance f[n, n] or f[n, n, k]) for
## n = deg + 1, scaled by residuals / (m - n), and needs m > n. cov="unscaled" gives it without this factor, f[n, n].
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

## roots(p, strip_zeros=true): the roots c[n - 1] of a polynomial f[n], as eigenvalues of its companion matrix.
## Each leading zero of p is removed, so the result has one root less. Its size depends on the values. Compiled code
## therefore needs strip_zeros=false. Then the result is c[n - 1], with NaN for missing roots, after the others.
## Derivatives exist where all roots are distinct.
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
