# Special functions, elementwise. Global are erf, erfc, erf_inv, lgamma, digamma, logsumexp.

## special.expit(x): 1 / (1 + exp(-x)).
fn expit(x) = logistic(x)
## special.logit(p): log(p / (1 - p)).
fn logit(p) = log(p) - log1p(-p)

## special.gammaln(x): log(abs(gamma(x))).
fn gammaln(x) = lgamma(x)
## special.gamma(x): the gamma function, f[...].
fn gamma(x) {
    let negative = x < 0 and f32(floor(x)) % 2 != 0
    where(negative, -1.0, 1.0) * exp(lgamma(x))
}
## special.factorial(n): gamma(n + 1).
fn factorial(n) = exp(lgamma(n + 1.0))
## special.comb(n, k): how many ways to choose k of n, as a float.
fn comb(n, k) = round(exp(lgamma(n + 1.0) - lgamma(k + 1.0) - lgamma(n - k + 1.0)))
## special.betaln(a, b): log(beta(a, b)).
fn betaln(a, b) = lgamma(a) + lgamma(b) - lgamma(a + b)
## special.beta(a, b): gamma(a) gamma(b) / gamma(a + b).
fn beta(a, b) = exp(betaln(a, b))

## special.ndtr(x): the normal distribution function.
fn ndtr(x) = 0.5 * erfc(-x * 0.7071067811865476)
## special.ndtri(p): the inverse of ndtr.
fn ndtri(p) = 1.4142135623730951 * erf_inv(2 * p - 1)
## special.log_ndtr(x): log(ndtr(x)), right also far below zero.
fn log_ndtr(x) {
    let far = x < -5
    let y = where(far, x, -6.0)
    let s = 1 / (y * y)
    # the asymptotic series of Mills' ratio
    let tail =
        -0.5 * y * y -
        log(-y) -
        0.9189385332046727 +
        log1p(-s * (1 - 3 * s * (1 - 5 * s * (1 - 7 * s))))
    where(far, tail, log(ndtr(where(far, 0.0, x))))
}

## special.xlogy(x, y): x log(y), 0 where x is 0.
fn xlogy(x, y) = where(x == 0, 0.0, x * log(where(x == 0, 1.0, y)))
## special.xlog1py(x, y): x log(1 + y), 0 where x is 0.
fn xlog1py(x, y) = where(x == 0, 0.0, x * log1p(where(x == 0, 0.0, y)))
## special.entr(x): -x log(x); -inf below 0.
fn entr(x) = where(x < 0, -inf, -xlogy(x, x))
## special.rel_entr(p, q): p log(p / q), 0 where p is 0; inf outside.
fn rel_entr(p, q) =
    where(p > 0 and q > 0, xlogy(p, p / where(q > 0, q, 1.0)), where(p == 0 and q >= 0, 0.0, inf))
## special.kl_div(p, q): rel_entr(p, q) - p + q.
fn kl_div(p, q) = rel_entr(p, q) - p + q

## special.i0e(x): exp(-|x|) i0(x); the modified Bessel functions are approximated as in Abramowitz and Stegun 9.8.
fn i0e(x) {
    let a = abs(x)
    let t = (minimum(a, 3.75) / 3.75) ** 2
    let u = 3.75 / maximum(a, 3.75)
    let near =
        polyval([0.0045813, 0.0360768, 0.2659732, 1.2067492, 3.0899424, 3.5156229, 1.0], t) *
        exp(-a)
    let far = polyval(
        [
            0.00392377, -0.01647633, 0.02635537, -0.02057706, 0.00916281, -0.00157565, 0.00225319,
            0.01328592, 0.39894228,
        ],
        u,
    )
    where(a < 3.75, near, far / sqrt(maximum(a, 3.75)))
}
## special.i0(x): the modified Bessel function of order 0.
fn i0(x) = exp(abs(x)) * i0e(x)
## special.i1e(x): exp(-|x|) i1(x).
fn i1e(x) {
    let a = abs(x)
    let t = (minimum(a, 3.75) / 3.75) ** 2
    let u = 3.75 / maximum(a, 3.75)
    let near =
        a *
        polyval([0.00032411, 0.00301532, 0.02658733, 0.15084934, 0.51498869, 0.87890594, 0.5], t) *
        exp(-a)
    let far = polyval(
        [
            -0.00420059, 0.01787654, -0.02895312, 0.02282967, -0.01031555, 0.00163801, -0.00362018,
            -0.03988024, 0.39894228,
        ],
        u,
    )
    sign(x) * where(a < 3.75, near, far / sqrt(maximum(a, 3.75)))
}
## special.i1(x): the modified Bessel function of order 1.
fn i1(x) = exp(abs(x)) * i1e(x)

test "special functions at known places" {
    assert(allclose(gamma([0.5, 5.0, -1.5]), [1.7724539, 24.0, 2.3632718], rtol=1e-5))
    assert(allclose(factorial(5.0), 120, rtol=1e-5) and allclose(comb(10.0, 3.0), 120))
    assert(allclose(logit(expit(0.7)), 0.7) and allclose(ndtr(ndtri(0.9)), 0.9))
    assert(allclose(log_ndtr([-10.0, -2.0, 1.0]), [-53.231285, -3.783184, -0.172753], rtol=1e-4))
    assert(allclose(xlogy(0.0, 0.0), 0) and allclose(entr(0.5), 0.34657359))
    assert(
        allclose(i0([0.0, 1.0, 5.0]), [1.0, 1.2660659, 27.239872], rtol=1e-5) and
        allclose(i1([1.0, 5.0]), [0.5651591, 24.335642], rtol=1e-5),
    )
}
