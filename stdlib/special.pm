# Special functions, elementwise. Global are erf, erfc, erf_inv, lgamma, digamma, logsumexp.

## special.expit(x): 1 / (1 + exp(-x)).
fn expit(x) = logistic(x)
## special.logit(p): log(p / (1 - p)).
fn logit(p) = log(p) - log1p(-p)

## special.gammaln(x): log(abs(gamma(x))).
fn gammaln(x) = lgamma(x)
## special.gamma(x): the gamma function, f[...].
fn gamma(x) {
    let negative = x < 0 and floor(x) % 2 != 0
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
## special.ndtri(p): the inverse of ndtr, also where p is very small; -inf at 0, inf at 1, NaN outside.
fn ndtri(p) {
    let p = _inexact(p)
    let wide = _wide(p)
    let middle = abs(wide - 0.5) < 0.4
    let near = 1.4142135623730951 * erf_inv(2 * where(middle, wide, 0.5) - 1)
    let upper = wide > 0.5
    let tail = where(upper, 1 - wide, wide)
    let inside = not middle and tail > 0
    let far = _ndtri_tail(where(inside, tail, 0.05))
    let end = where(tail == 0, -inf, where(tail < 0 or isnan(tail), nan, far))
    _like(where(middle, near, where(upper, -end, end)), p)
}

## ndtri for p below 0.1: the leading terms of its asymptotic series, then three steps of Halley's method, each of which
## takes the error to the third power.
fn _ndtri_tail(p) {
    let t = -2 * log(p)
    mut x = -sqrt(t - log(6.283185307179586 * (t - log(6.283185307179586 * t))))
    for _ in tuple(0..3) {
        # (ndtr(x) - p) / density(x), where neither is too small for a float
        let gap = 0.5 * erfc(-0.7071067811865476 * x) - p
        let step = gap * 2.5066282746310002 * exp(0.25 * x * x) * exp(0.25 * x * x)
        x = x - step / (1 + 0.5 * x * step)
    }
    x
}

## special.log_ndtr(x): log(ndtr(x)), right also far below zero.
fn log_ndtr(x) {
    let x = _inexact(x)
    let wide = _wide(x)
    # the asymptotic series of Mills' ratio, where its ninth term is below the rounding
    let far = wide < (if wide.dtype == f64 { -20.0 } else { -10.0 })
    let y = where(far, wide, -20.0)
    let s = 1 / (y * y)
    let series = polyval((2027025.0, -135135.0, 10395.0, -945.0, 105.0, -15.0, 3.0, -1.0), s)
    let tail = -0.5 * y * y - log(-y) - 0.9189385332046727 + log1p(s * series)
    let left = log(ndtr(where(far or wide > 0, 0.0, wide)))
    let right = log1p(-ndtr(-where(wide > 0, wide, 0.0)))
    _like(where(far, tail, where(wide > 0, right, left)), x)
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

# 1 / (k! (k + n)!) for n = 0 and 1, the greatest k first: the power series of the functions in x^2 / 4.
let _i0_near = (
    6.14839762859838e-54, 4.156316796932504e-51, 2.5976979980828152e-48, 1.4962740468957016e-45,
    7.915289708078262e-43, 3.8310002187098785e-40, 1.6894710964510564e-37, 6.757884385804225e-35,
    2.4395962632753253e-32, 7.904291893012054e-30, 2.2843403570804838e-27, 5.8479113141260385e-25,
    1.3157800456783586e-22, 2.5789288895295828e-20, 4.358389823304995e-18, 6.276081345559193e-16,
    7.594058428126623e-14, 7.594058428126624e-12, 6.151187326782565e-10, 3.936759889140842e-08,
    1.9290123456790124e-06, 6.944444444444444e-05, 0.001736111111111111, 0.027777777777777776, 0.25,
    1.0, 1.0,
)
let _i1_near = (
    2.2771843068882885e-55, 1.5985833834355786e-52, 1.0390791992331261e-49, 6.234475195398757e-47,
    3.4414303078601135e-44, 1.7413637357772174e-41, 8.045100459290744e-39, 3.3789421929021126e-36,
    1.2839980333028028e-33, 4.391273273895586e-31, 1.3437296218120491e-28, 3.654944571328774e-26,
    8.771866971189057e-24, 1.842092063949702e-21, 3.352607556388458e-19, 5.230067787965994e-17,
    6.903689480115112e-15, 7.594058428126623e-13, 6.834652585313961e-11, 4.920949861426052e-09,
    2.755731922398589e-07, 1.1574074074074073e-05, 0.00034722222222222224, 0.006944444444444444,
    0.08333333333333333, 0.5, 1.0,
)
# sqrt(x) exp(-x) times the functions, as polynomials in 2 a / x - 1 for x above a = 12 (to 3e-18) and a = 5 (to 5e-9).
let _i0_far = (
    5.162440450149281e-13, 6.437657654024621e-13, -2.4352128812532804e-12, -4.7455346212162745e-12,
    7.948350488698664e-13, 8.680917765051384e-12, 1.1907965227895717e-11, 1.872202365227829e-11,
    4.7753461886795666e-11, 1.5622948046722945e-10, 6.481139334578011e-10, 3.4434342412327306e-09,
    2.3688428428626313e-08, 2.1716050262093787e-07, 2.7977070193488197e-06, 5.5984825333679287e-05,
    0.0021821681721169296, 0.4010710650668474,
)
let _i1_far = (
    -5.402701745690131e-13, -6.550828692280591e-13, 2.582594599389331e-12, 4.916657558094203e-12,
    -9.871777657121598e-13, -9.188721633813206e-12, -1.2526608533937155e-11, -2.0004618836565967e-11,
    -5.182321204418164e-11, -1.721609330414059e-10, -7.282300843285604e-10, -3.9675520981862666e-09,
    -2.825369682259333e-08, -2.7268454764371704e-07, -3.827951355402915e-06, -9.124755355077838e-05,
    -0.00640545360348236, 0.39262449420411655,
)
let _i0_far_short = (
    6.535466470630549e-07, -9.140588872187515e-07, -4.188121473453506e-06, -1.5691149260474696e-07,
    9.917528324257581e-06, 2.207440405225628e-05, 6.721828914835793e-05, 0.0004104945730258379,
    0.005660125481287061, 0.4042445078626157,
)
let _i1_far_short = (
    -6.519174565214165e-07, 1.0784713613090843e-06, 4.424741803822257e-06, -2.218887329970926e-07,
    -1.1421699733012277e-05, -2.6143177112715607e-05, -8.767899225679955e-05, -0.0006432709756369438,
    -0.016049244763308684, 0.38346626669156164,
)

## The function of order 0, or of order 1 where `odd`, in both forms: (exp(-|x|) f(x), f(x)). The power series near 0, elsewhere
## what sqrt(|x|) exp(-|x|) f(x) is as a polynomial in 1 / |x|.
fn _bessel(x, odd) {
    let x = _inexact(x)
    let wide = _wide(x)
    let long = wide.dtype == f64
    let a = if long { 12.0 } else { 5.0 }
    let series = if odd { _i1_near } else { _i0_near }
    let rest = if long {
        if odd { _i1_far } else { _i0_far }
    } else {
        if odd { _i1_far_short } else { _i0_far_short }
    }
    let inside = abs(wide) < a
    let half = 0.5 * where(inside, wide, a)
    let even = polyval(if long { series } else { series[-13:] }, half * half)
    let near = if odd { half * even } else { even }
    let size = where(inside, a, abs(wide))
    let falling = polyval(rest, 2 * a / size - 1) / sqrt(size)
    let far = if odd { where(wide < 0, -falling, falling) } else { falling }
    # exp(size) alone overflows where the function does not yet.
    let growth = exp(0.5 * size)
    (
        # as in JAX the slope of |x| at 0 counts as 0 here
        _like(where(inside, near * exp(-2 * half * sign(half)), far), x),
        _like(where(inside, near, far * growth * growth), x),
    )
}

## special.i0e(x): exp(-|x|) i0(x), f[...].
fn i0e(x) = _bessel(x, false)[0]
## special.i0(x): the modified Bessel function of the first kind of order 0, f[...].
fn i0(x) = _bessel(x, false)[1]
## special.i1e(x): exp(-|x|) i1(x), f[...].
fn i1e(x) = _bessel(x, true)[0]
## special.i1(x): the modified Bessel function of the first kind of order 1, f[...].
fn i1(x) = _bessel(x, true)[1]

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

test "Bessel functions to the rounding of f64 and of f32, with their derivatives" {
    let x = f64([0.3, -2.5, 11.999999, 12.0, 30.0])
    let e = f64([
        0.7575806251825479, 0.27004644161220276, 0.11642622617536268, 0.11642622121344044,
        0.0731459464822373,
    ])
    assert(allclose(i0e(x), e, rtol=1e-15, atol=0) and allclose(i0e(f32(x)), e, rtol=2e-7, atol=0))
    let o = f64([
        0.1123775606398388, -0.20658464953126657, 0.11146430361695091, 0.11146429929018098,
        0.07191633059864755,
    ])
    assert(allclose(i1e(x), o, rtol=1e-15, atol=0) and allclose(i1e(f32(x)), o, rtol=2e-7, atol=0))
    assert(
        allclose(i0(x), exp(abs(x)) * e, rtol=2e-15) and
        allclose(i1(x), exp(abs(x)) * o, rtol=2e-15),
    )
    assert(allclose(vmap(grad(i0))(x), i1(x), rtol=1e-14))
    assert(grad(i1)(0.0) == 0.5 and grad(i1e)(f64(0.0)) == 0.5)
    assert(grad(i0)(0.0) == 0 and grad(i0e)(0.0) == 0 and grad(grad(i0))(0.0) == 0.5)
    assert(isfinite(i0(90.0)) and isnan(i0e(nan)) and i0e(inf) == 0)
}

test "the normal distribution to the rounding of f64, far out too" {
    let p = f64([1e-300, 1e-20, 0.05, 0.1, 0.6, 0.95])
    let x = f64([
        -37.0470962993612, -9.262340089798407, -1.6448536269514726, -1.2815515655446004,
        0.2533471031357997, 1.6448536269514722,
    ])
    assert(allclose(ndtri(p), x, rtol=1e-15, atol=0))
    assert(allclose(ndtr(ndtri(p)), p, rtol=1e-12, atol=0))
    assert(allclose(ndtri(f32(p[1:])), x[1:], rtol=5e-7, atol=0))
    assert(ndtri(0.0) == -inf and ndtri(1.0) == inf and isnan(ndtri(1.5)) and isnan(ndtri(nan)))
    let y = f64([-30.0, -20.0, -5.0, 0.5, 10.0])
    let logs = f64([
        -454.3212439563432, -203.91715537109727, -15.064998393988725, -0.3689464152886564,
        -7.619853024160525e-24,
    ])
    assert(allclose(log_ndtr(y), logs, rtol=1e-14, atol=0))
    assert(allclose(log_ndtr(f32(y[:-1])), logs[:-1], rtol=3e-7, atol=0))
    assert(allclose(grad(log_ndtr)(f64(-30.0)), 30.033259667433676, rtol=1e-12))
}
