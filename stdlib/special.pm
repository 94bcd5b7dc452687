# Special functions of real numbers, elementwise with broadcasting. Names follow scipy.special and jax.scipy.special.
# Integers count as floats: i64 and u64 as f64, others as f32.
# These functions are also global: erf, erfc, erf_inv (here erfinv), lgamma, digamma, logsumexp, igamma (gammainc),
# igammac (gammaincc), polygamma, zeta, betainc, bessel_i0e (i0e) and bessel_i1e (i1e).

## special.expit(x): 1 / (1 + exp(-x)).
fn expit(x) = logistic(x)
## special.logit(p): the inverse of expit, log(p / (1 - p)).
fn logit(p) = log(p) - log1p(-p)

## special.gammaln(x): log(abs(gamma(x))).
fn gammaln(x) = lgamma(x)
## special.gamma(x): the gamma function, f[...]. It is NaN at -1, -2, ... and at -inf.
## At 0 it is infinite with the sign of the zero. Factorials that the dtype can represent are exact. Relative errors in
## f64 are below 2e-15.
fn gamma(x) {
    let x = _inexact(array(x))
    _gamma(f64(x)).astype(x.dtype)
}
let _gamma = custom_jvp(
    fn(x) = _gamma_values(x),
    fn((x,), (dx,)) = (_gamma(x), _gamma(x) * digamma(x) * dx),
)
# Lanczos's approximation, Boost's lanczos13m53: gamma(x) = ((x + g - 1/2) / e)^(x - 1/2) p(x) / q(x). Coefficients of
# p (_lanczos_above) and q (_lanczos_below), highest power first.
let _lanczos_g = 6.024680040776729583740234375
let _lanczos_above = (
    0.006061842346248906525783753964555936883222, 0.5098416655656676188125178644804694509993,
    19.51992788247617482847860966235652136208, 449.9445569063168119446858607650988409623,
    6955.999602515376140356310115515198987526, 75999.29304014542649875303443598909137092,
    601859.6171681098786670226533699352302507, 3481712.15498064590882071018964774556468,
    14605578.08768506808414169982791359218571, 43338889.32467613834773723740590533316085,
    86363131.28813859145546927288977868422342, 103794043.1163445451906271053616070238554,
    56906521.91347156388090791033559122686859,
)
let _lanczos_below = (
    1.0, 66.0, 1925.0, 32670.0, 357423.0, 2637558.0, 13339535.0, 45995730.0, 105258076.0,
    150917976.0, 120543840.0, 39916800.0, 0.0,
)
# The factorials 0!, 1!, ... 22!, which f64 represents exactly.
let _factorials = cumprod(maximum(f64(arange(23)), 1))
fn _gamma_values(x) {
    # gamma overflows f64 above 171.7 and underflows below -184, so that |x| above 190 can count as 190
    let y = minimum(abs(where(isnan(x), 1, x)), 190)
    let base = y + (_lanczos_g - 0.5)
    let lost = y - (base - (_lanczos_g - 0.5))
    let quotient = polyval(_lanczos_above, y) / polyval(_lanczos_below, y)
    let factor = quotient * (1 + (y - 0.5) * lost / base)
    # base^(y - 0.5) overflows before gamma does: its square root is multiplied twice
    let half = 0.5 * (y - 0.5)
    let root = base ** half * exp(-half)
    let whole = y >= 1 and y <= 23 and y == floor(y)
    let known = _factorials[i32(where(whole, y, 1)) - 1]
    let above = where(whole, known, factor * root * root)
    let mirrored = -pi / (x * _sin_of_half_turns(x)) / factor / root / root
    let pole = x < 0 and x == floor(x)
    where(isnan(x) or pole, nan, where(x == 0, 1 / x, where(x < 0, mirrored, above)))
}
## sin(pi x), exactly 0 for integer x.
fn _sin_of_half_turns(x) {
    let n = round(x)
    where(n % 2 == 0, 1, -1) * sin(pi * (x - n))
}
## special.factorial(n): n! = gamma(n + 1) for a float n, 0 for n < 0. Factorials that the dtype can represent are
## exact.
fn factorial(n) {
    let n = _inexact(array(n))
    let below = n < 0
    where(below, 0, _gamma(1 + f64(where(below, 0, n)))).astype(n.dtype)
}
## special.comb(n, k): the binomial coefficient n! / (k! (n - k)!) as a float.
## It is the number of ways to choose k of n elements, and 0 outside of 0 <= k <= n. Products are used for integers
## with min(k, n - k) <= 30, the beta function for other arguments, and digamma for derivatives.
fn comb(n, k) {
    let ((n, k), dtype) = _same_floats((n, k))
    _comb(n, k).astype(dtype)
}
let _comb = custom_jvp(
    fn(n, k) = _comb_values(n, k),
    fn((n, k), (dn, dk)) {
        let inside = k >= 0 and k <= n
        let (m, j) = (where(inside, n, 1), where(inside, k, 0))
        let rest = digamma(m - j + 1)
        let y = where(inside, _comb(m, j), 0)
        (_comb(n, k), y * ((digamma(m + 1) - rest) * dn + (rest - digamma(j + 1)) * dk))
    },
)
fn _comb_values(n, k) {
    let inside = k >= 0 and k <= n and n < inf
    let (m, j) = (where(inside, n, 1), where(inside, minimum(k, n - k), 0))
    # the result for min(k, n - k) > 30 is above 2^53, so that products are not exact either
    let whole = m == floor(m) and j == floor(j) and j <= 30
    let few = where(whole, j, 0)
    mut product = 1 + 0 * m
    for i in 0..30 {
        product = where(i < few, product * (m - few + i + 1) / (i + 1), product)
    }
    let (r, s) = (where(whole, 0, j), where(whole, 1, m))
    let between = exp(-betaln(r + 1, s - r + 1)) / (s + 1)
    let rest = where(k == 0, 1, where(n == inf and k > 0 and k < inf, inf, 0))
    let undefined = isnan(n) or isnan(k) or (n == inf and k == inf)
    where(undefined, nan, where(inside, where(whole, product, between), where(k <= n, rest, 0)))
}
## special.betaln(a, b): log(abs(beta(a, b))).
## Relative errors in f64 are below 1e-14, absolute errors near the zeros of the result. f16, bf16 and f32 are computed
## in f64 and rounded.
fn betaln(a, b) {
    let ((a, b), dtype) = _same_floats((a, b))
    let (factor, exponent) = _beta_parts(a, b)
    (log(abs(factor)) + exponent).astype(dtype)
}
## special.beta(a, b): the beta function gamma(a) gamma(b) / gamma(a + b), inf at its poles.
fn beta(a, b) {
    let ((a, b), dtype) = _same_floats((a, b))
    let (factor, exponent) = _beta_parts(a, b)
    (factor * exp(exponent)).astype(dtype)
}
## (f, e) with beta(a, b) = f exp(e). Arguments that are not above 0 are replaced by positive ones with the reflection
## formula gamma(x) gamma(1 - x) = pi / sin(pi x).
fn _beta_parts(a, b) {
    let (p, q) = (where(a < b, a, b), where(a < b, b, a))
    let (low, high) = (p <= 0 and p == floor(p), q <= 0 and q == floor(q))
    let whole = q == floor(q)
    let pole = high or (low and not (whole and p + q <= 0))
    let inside = p > -inf and q < inf and not pole
    let (x, y) = (where(inside, p, 1), where(inside, q, 1))
    let z = x + y
    let (both, over, above) = (y < 0, x < 0 and z > 0, x > 0)
    let under = not (both or over or above)
    let (sx, sy, sz) = (
        _sin_of_half_turns(where(above or (under and whole), 0.5, x)),
        _sin_of_half_turns(where(both, y, 0.5)),
        _sin_of_half_turns(where(above or over or (under and whole), 0.5, z)),
    )
    let turn = where(under and whole and y % 2 != 0, -1, 1)
    let factor =
        turn * where(above or under, 1, f64(pi)) * sz / (
            sx * sy * where(both, 1 - z, where(over, y, 1))
        )
    let of = _betaln_above_0(
        where(above, x, where(under, y, 1 - x)),
        where(above, y, where(under, 1 - z, where(over, z, 1 - y))),
    )
    # the values at poles and for infinite arguments
    let far = q == inf and p > -inf
    let end = where(pole, inf, where(far and p > 0, 0, where(far, gammasgn(p) * inf, nan)))
    (where(inside, factor, end), where(inside, where(both or over, -of, of), 0))
}
## log(beta(a, b)) for a > 0 and b > 0.
fn _betaln_above_0(a, b) {
    let (p, q) = (where(a < b, a, b), where(a < b, b, a))
    # The logarithms of the gamma functions are much larger than the result. Their common parts are cancelled in the
    # formulas, and differences of their Stirling series are left.
    let large = q >= 10
    let both = p >= 10
    let (x, y) = (where(large, 1, p), where(large, 1, q))
    let (r, s, t) = (where(large, p, 1), where(large, q, 10), where(both, p, 10))
    let ratio = r / s
    let of_both =
        0.9189385332046727 -
        0.5 * log(s) +
        _stirling_gap(s, r) +
        _stirling_series(t) +
        (t - 0.5) * log(ratio / (1 + ratio)) -
        s * log1p(ratio)
    let other = where(large, _gammaln_gap(s, r), lgamma(y) - lgamma(x + y))
    where(both, of_both, lgamma(where(both, 1, p)) + other)
}
## lgamma(q) - lgamma(p + q) for q >= 10 and p + q >= 10, with the rounding error of p log(q).
fn _gammaln_gap(q, p) = _stirling_gap(q, p) - (p + q - 0.5) * log1p(p / q) - p * (log(q) - 1)
fn _stirling_gap(q, p) = _stirling_series(q) - _stirling_series(p + q)

## special.erf(x): the error function, 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x.
## It is the global erf.
let erf = erf
## special.erfc(x): the complementary error function 1 - erf(x). It is the global erfc.
let erfc = erfc
## special.erfinv(p): the inverse of erf. It is the global erf_inv.
let erfinv = erf_inv
## special.digamma(x): the derivative of lgamma(x). It is the global digamma.
let digamma = digamma
## special.logsumexp(x, axis=none, b=none, keepdims=false, return_sign=false, where=none): log(sum(b * exp(x))) without
## overflow. It is the global logsumexp.
let logsumexp = logsumexp
## special.ndtr(x): the cumulative distribution function of the standard normal distribution.
fn ndtr(x) = 0.5 * erfc(-x * 0.7071067811865476)
## special.ndtri(p): the inverse of ndtr, accurate also for very small p.
## It is -inf at 0, inf at 1, and NaN outside of 0 <= p <= 1.
fn ndtri(p) {
    let p = _inexact(p)
    let wide = _wide(p)
    let middle = abs(wide - 0.5) < 0.4
    let near = 1.4142135623730951 * erf_inv(2 * where(middle, wide, 0.5) - 1)
    let upper = wide > 0.5
    let tail = where(upper, 1 - wide, wide)
    let inside = not middle and tail > 0
    let far = _ndtri_tail(where(inside, tail, 0.05))
    let end = where(tail == 0, -inf, where(tail < 0 or isnan(tail), nan * tail, far))
    _like(where(middle, near, where(upper, -end, end)), p)
}

## ndtri for p <= 0.1. The initial value is the leading terms of its asymptotic series. Three iterations of Halley's
## method follow, each of which cubes the error.
fn _ndtri_tail(p) {
    let t = -2 * log(p)
    mut x = -sqrt(t - log(6.283185307179586 * (t - log(6.283185307179586 * t))))
    for _ in tuple(0..3) {
        # step = (ndtr(x) - p) / density(x), by two factors exp(x^2 / 4) because exp(x^2 / 2) can overflow
        let gap = 0.5 * erfc(-0.7071067811865476 * x) - p
        let step = gap * 2.5066282746310002 * exp(0.25 * x * x) * exp(0.25 * x * x)
        x = x - step / (1 + 0.5 * x * step)
    }
    x
}

## special.log_ndtr(x): log(ndtr(x)), accurate also for x far below 0.
fn log_ndtr(x) {
    let x = _inexact(x)
    let wide = _wide(x)
    # the asymptotic series of Mills's ratio, where its ninth term is below the rounding error
    let far = wide < (if wide.dtype == f64 { -20.0 } else { -10.0 })
    let y = where(far, wide, -20.0)
    let s = 1 / (y * y)
    let series = polyval((2027025.0, -135135.0, 10395.0, -945.0, 105.0, -15.0, 3.0, -1.0), s)
    let tail = -0.5 * y * y - log(-y) - 0.9189385332046727 + log1p(s * series)
    let left = log(ndtr(where(far or wide > 0, 0.0, wide)))
    let right = log1p(-ndtr(-where(wide > 0, wide, 0.0)))
    _like(where(far, tail, where(wide > 0, right, left)), x)
}

## special.xlogy(x, y): x log(y), 0 where x is 0 and y is not NaN.
## Its derivatives are log(y) and x / y everywhere, as in JAX. x and y broadcast.
fn xlogy(x, y) {
    let (x, y) = _both(x, y)
    _times_log(x, y)
}
## x and y, converted to their common floating dtype and broadcast to one shape.
fn _both(x, y) {
    let dtype = _inexact(zeros((), dtype=result_type(x, y))).dtype
    broadcast_arrays(array(x).astype(dtype), array(y).astype(dtype))
}
fn _product_or_0(x, factor, y) = where(x == 0 and not isnan(y), 0 * x, x * factor)
let _times_log = custom_jvp(
    fn(x, y) = _product_or_0(x, log(y), y),
    fn((x, y), (dx, dy)) = (_times_log(x, y), log(y) * dx + x / y * dy),
)
## special.xlog1py(x, y): x log(1 + y), 0 where x is 0 and y is not NaN.
## Its derivatives are log1p(y) and x / (1 + y) everywhere, as in JAX. x and y broadcast.
fn xlog1py(x, y) {
    let (x, y) = _both(x, y)
    _times_log1p(x, y)
}
let _times_log1p = custom_jvp(
    fn(x, y) = _product_or_0(x, log1p(y), y),
    fn((x, y), (dx, dy)) = (_times_log1p(x, y), log1p(y) * dx + x / (1 + y) * dy),
)
## special.entr(x): the entropy term -x log(x), 0 for x = 0 and -inf for x < 0. Its derivative at 0 is inf.
fn entr(x) = _entropy(_inexact(array(x)))
let _entropy = custom_jvp(
    fn(x) = where(x < 0, -inf, -_product_or_0(x, log(x), x)),
    fn((x,), (dx,)) = (_entropy(x), (-log(x) - 1) * dx),
)
## special.rel_entr(p, q): p log(p / q), 0 where p = 0 and q >= 0.
## It is inf if p < 0 or q < 0, and if p > 0 and q = 0. It is NaN if an argument is NaN.
fn rel_entr(p, q) {
    let end = where(isnan(p) or isnan(q), nan, where(p == 0 and q >= 0, 0.0, inf))
    where(p > 0 and q > 0, xlogy(p, p / where(q > 0, q, 1.0)), end)
}
## special.kl_div(p, q): rel_entr(p, q) - p + q.
## It is inf where rel_entr is inf or an argument is negative, and NaN if an argument is NaN.
fn kl_div(p, q) {
    let relative = rel_entr(p, q)
    where(p >= 0 and q >= 0 and relative < inf, relative - p + q, relative)
}

# Coefficients 1 / (k! (k + n)!) of the power series in x^2 / 4 of the modified Bessel functions, highest k first:
# i0 (n = 0) is this series, i1 (n = 1) is x / 2 times it.
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
# Coefficients of sqrt(x) exp(-x) i0(x) and sqrt(x) exp(-x) i1(x) as polynomials in 2 a / x - 1 for x >= a, highest
# power first. a = 12 with errors below 3e-18; short: a = 5 with errors below 5e-9.
let _i0_far = (
    5.162440450149281e-13, 6.437657654024621e-13, -2.4352128812532804e-12, -4.7455346212162745e-12,
    7.948350488698664e-13, 8.680917765051384e-12, 1.1907965227895717e-11, 1.872202365227829e-11,
    4.7753461886795666e-11, 1.5622948046722945e-10, 6.481139334578011e-10, 3.4434342412327306e-09,
    2.3688428428626313e-08, 2.1716050262093787e-07, 2.7977070193488197e-06, 5.5984825333679287e-05,
    0.0021821681721169296, 0.4010710650668474,
)
let _i1_far = (
    -5.402701745690131e-13, -6.550828692280591e-13, 2.582594599389331e-12, 4.916657558094203e-12,
    -9.871777657121598e-13, -9.188721633813206e-12, -1.2526608533937155e-11,
    -2.0004618836565967e-11, -5.182321204418164e-11, -1.721609330414059e-10, -7.282300843285604e-10,
    -3.9675520981862666e-09, -2.825369682259333e-08, -2.7268454764371704e-07,
    -3.827951355402915e-06, -9.124755355077838e-05, -0.00640545360348236, 0.39262449420411655,
)
let _i0_far_short = (
    6.535466470630549e-07, -9.140588872187515e-07, -4.188121473453506e-06, -1.5691149260474696e-07,
    9.917528324257581e-06, 2.207440405225628e-05, 6.721828914835793e-05, 0.0004104945730258379,
    0.005660125481287061, 0.4042445078626157,
)
let _i1_far_short = (
    -6.519174565214165e-07, 1.0784713613090843e-06, 4.424741803822257e-06, -2.218887329970926e-07,
    -1.1421699733012277e-05, -2.6143177112715607e-05, -8.767899225679955e-05,
    -0.0006432709756369438, -0.016049244763308684, 0.38346626669156164,
)

## (exp(-|x|) f(x), f(x)) for the modified Bessel function f of order 1 if `odd`, else of order 0. The power series is
## used for |x| < a. For other x it is the polynomial of sqrt(|x|) exp(-|x|) f(x) in 1 / |x|. a is 12 in f64 and 5 in
## other dtypes.
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
    # exp(size) can overflow where the function does not: `far` is multiplied twice by exp(size / 2).
    let growth = exp(0.5 * size)
    (
        # as in JAX, the derivative of |x| at 0 is taken as 0 here
        _like(where(inside, near * exp(-2 * half * sign(half)), far), x),
        _like(where(inside, near, far * growth * growth), x),
    )
}

## special.i0e(x): the exponentially scaled modified Bessel function exp(-|x|) i0(x), f[...].
fn i0e(x) = _bessel(x, false)[0]
## special.i0(x): the modified Bessel function of the first kind of order 0, f[...].
fn i0(x) = _bessel(x, false)[1]
## special.i1e(x): the exponentially scaled modified Bessel function exp(-|x|) i1(x), f[...].
fn i1e(x) = _bessel(x, true)[0]
## special.i1(x): the modified Bessel function of the first kind of order 1, f[...].
fn i1(x) = _bessel(x, true)[1]

# ---- incomplete gamma and beta functions

# Gauss-Legendre quadrature over [-1, 1] with 32 nodes: the 16 positive nodes and their weights.
let _gauss_places = (
    0.048307665687738324, 0.1444719615827965, 0.23928736225213706, 0.33186860228212767,
    0.42135127613063533, 0.5068999089322294, 0.5877157572407623, 0.6630442669302152,
    0.7321821187402897, 0.7944837959679424, 0.84936761373257, 0.8963211557660521,
    0.9349060759377397, 0.9647622555875064, 0.9856115115452684, 0.9972638618494816,
)
let _gauss_weights = (
    0.09654008851472766, 0.09563872007927471, 0.09384439908080451, 0.09117387869576378,
    0.08765209300440378, 0.08331192422694671, 0.07819389578707023, 0.07234579410884834,
    0.06582222277636168, 0.058684093478535565, 0.05099805926237609, 0.042835898022226836,
    0.034273862913021765, 0.025392065309262024, 0.016274394730905743, 0.007018610009470506,
)

## (values, dtype): the values as f64 arrays broadcast to one shape, and their common floating dtype, to which callers
## round results.
fn _same_floats(values) {
    let dtype = _inexact(zeros((), dtype=result_type(*values))).dtype
    let shape = broadcast_shapes(*(array(v).shape for v in values))
    ((broadcast_to(f64(v), shape) for v in values), dtype)
}

## special.gammainc(a, x): the regularized lower incomplete gamma function, f[...].
## It is the integral of t^(a - 1) exp(-t) from 0 to x, divided by gamma(a). It is NaN for a < 0 or x < 0, and where a
## and x are both 0 or both inf. Relative errors in f64 are below 1e-11. There are derivatives with respect to a and x.
## For a < 12 it uses the power series and Legendre's continued fraction. For a from 12 to 1e5 it uses Gauss-Legendre
## quadrature from x outward. From a = 1e5 on it uses Temme's expansion.
fn gammainc(a, x) {
    let ((a, x), dtype) = _same_floats((a, x))
    (_incomplete_gamma(a, x)[0]).astype(dtype)
}
## special.gammaincc(a, x): 1 - gammainc(a, x), accurate also where it is small.
## It is the regularized upper incomplete gamma function. Domain, errors, derivatives and methods are those of
## gammainc.
fn gammaincc(a, x) {
    let ((a, x), dtype) = _same_floats((a, x))
    (_incomplete_gamma(a, x)[1]).astype(dtype)
}

## (gammainc(a, x), gammaincc(a, x)) of f64 arrays of one shape.
fn _incomplete_gamma(a, x) {
    let valid = a >= 0 and x >= 0 and not (a == 0 and x == 0) and not (a == inf and x == inf)
    let inside = valid and a > 0 and x > 0 and x < inf and a < inf
    let few = inside and a < 12
    let low = few and x < maximum(a + 1, 4)
    let below = _gamma_series(where(low, a, 1), where(low, x, 1))
    let fraction = few and not low
    let above = _gamma_fraction(where(fraction, a, 1), where(fraction, x, 5))
    let much = inside and not few
    let great = much and a >= _great
    let middle = much and not great
    let (x_left, by_gauss) = _gamma_by_gauss(where(middle, a, 20), where(middle, x, 20))
    let (left, part) = if any(great) {
        let (of_great, by_series) =
            _gamma_by_temme(where(great, a, _great), where(great, x, _great))
        (where(great, of_great, x_left), where(great, by_series, by_gauss))
    } else {
        (x_left, by_gauss)
    }
    let by_left = low or (much and left)
    let found = where(low, below, where(fraction, above, part))
    # At x = 0 the first term of the series gives the derivative with respect to x:
    # inf for a < 1, 1 for a = 1, 0 for a > 1.
    let empty = valid and x == 0 and a < inf
    let (b, y) = (where(empty, a, 1), where(empty, x, 1))
    let first = where(empty, y ** b * exp(-lgamma(b + 1)), 0)
    let end = where(valid, where(x == 0 or a == inf, first, 1.0), nan * (a + x))
    (
        where(inside, where(by_left, found, 1 - found), end),
        where(inside, where(by_left, 1 - found, found), 1 - end),
    )
}

## gammainc(a, x) by its power series, for a < 12 and x < max(a + 1, 4).
fn _gamma_series(a, x) {
    mut term = ones_like(x)
    mut s = ones_like(x)
    for k in 1..61 {
        term = term * x / (a + k)
        s = s + term
    }
    s * exp(a * log(x) - x - lgamma(a + 1))
}
## gammaincc(a, x) by 40 levels of its continued fraction, evaluated from the innermost one outward, for a < 12 and
## x >= max(a + 1, 4).
fn _gamma_fraction(a, x) {
    mut f = x + 81 - a
    for step in 0..40 {
        let k = 40 - step
        f = x + 2 * k - 1 - a - k * (k - a) / f
    }
    exp(a * log(x) - x - lgamma(a)) / f
}
## (left, part) for a >= 12: `part` is gammainc(a, x) where `left` is true, else gammaincc(a, x). It is the integral by
## Gauss-Legendre quadrature from x to a point beyond which the integrand is negligible.
fn _gamma_by_gauss(a, x) {
    let m = a - 1
    let s = sqrt(m)
    let left = x <= m
    let far = where(
        left,
        maximum(minimum(m - 7.5 * s, x - 5 * s), 0),
        maximum(m + 11.5 * s + 20, x + 6 * s + 10),
    )
    # Far from its maximum at m the integrand decreases as exp(-|m - x| d / x), d the distance from x.
    let length = minimum(abs(far - x), 45 * x / maximum(abs(m - x), s))
    let half = where(left, -0.5, 0.5) * length
    let (half_column, m_column) = (half[..., none], m[..., none])
    let y = x[..., none] + half_column * (1 + _gauss_nodes(x.dtype))
    let u = (y - m_column) / m_column
    let terms = exp(m_column * (log1p(maximum(u, -0.9999999)) - u)) * _gauss_factors(x.dtype)
    (left, abs(half) * sum(terms, axis=-1) * exp(-_stirling_series(m)) / sqrt(2 * pi * m))
}
# The least a of Temme's expansion. From here on, terms beyond 1 / a^2 are below the rounding of f64, and results
# differ from 0 and 1 only for |x - a| < a / 10.
let _great = 1e5
# The coefficients of c_0, c_1 and c_2 as polynomials in eta, lowest power first.
let _temme = (
    (
        -0.3333333333333333, 0.08333333333333333, -0.014814814814814815, 0.0011574074074074073,
        0.0003527336860670194, -0.0001787551440329218, 3.919263178522438e-05,
        -2.185448510679992e-06, -1.85406221071516e-06, 8.296711340953087e-07,
        -1.7665952736826078e-07, 6.707853543401498e-09,
    ),
    (
        -0.001851851851851852, -0.003472222222222222, 0.0026455026455026454, -0.0009902263374485596,
        0.00020576131687242798, -4.018775720164609e-07, -1.8098550334489977e-05,
    ),
    (0.004133597883597883, -0.0026813271604938273, 0.0007716049382716049),
)
## (left, part) for a >= 1e5: `part` is gammainc(a, x) where `left` is true, else gammaincc(a, x).
## gammaincc is erfc(eta sqrt(a / 2)) / 2 + exp(-a eta^2 / 2) / sqrt(2 pi a) (c_0(eta) + c_1(eta) / a + ...).
## Here u = x / a - 1, eta^2 / 2 = u - log(1 + u), and eta has the sign of u. Source:
## N. M. Temme, The asymptotic expansion of the incomplete gamma functions, SIAM J. Math. Anal. 10 (1979);
## https://dlmf.nist.gov/8.12.
fn _gamma_by_temme(a, x) {
    let u = clip((x - a) / a, -0.15, 0.15)
    let eta = u * sqrt(-2 * _log1p_rest(u))
    mut sum = 0 * a
    for c in _temme[::-1] { sum = sum / a + polyval(c[::-1], eta) }
    let z = eta * sqrt(0.5 * a)
    let rest = exp(-z * z) / sqrt(2 * pi * a) * sum
    let left = u < 0
    (left, 0.5 * erfc(where(left, -z, z)) + where(left, -rest, rest))
}
## (log(1 + u) - u) / u^2 for |u| < 0.4, by the series of log(1 + u) = 2 atanh(z) with z = u / (2 + u).
fn _log1p_rest(u) {
    let w = 1 / (2 + u)
    let z = u * w
    # log(1 + u) - u = 2 (z + z^3 / 3 + ...) - u = -u z + 2 (z^3 / 3 + ...)
    -w +
        2 * z * w * w * polyval(_atanh_rest[::-1], z * z)
}
let _atanh_rest = (1 / (2 * k + 3) for k in tuple(0..13))
fn _gauss_nodes(dtype) {
    let half = array(_gauss_places, dtype=dtype)
    concatenate((-flip(half), half))
}
fn _gauss_factors(dtype) {
    let half = array(_gauss_weights, dtype=dtype)
    concatenate((flip(half), half))
}

## special.betainc(a, b, x): the regularized incomplete beta function, f[...].
## It is the integral of t^(a - 1) (1 - t)^(b - 1) from 0 to x, divided by beta(a, b). It is NaN unless a > 0, b > 0
## and 0 <= x <= 1. There are derivatives with respect to a, b and x. It uses 200 terms of the continued fraction, and
## Gauss-Legendre quadrature from x outward where a and b are both above 3000. Relative errors in f64 are below 1e-10
## for a and b up to 1e6, and below 1e-8 up to 1e8.
fn betainc(a, b, x) {
    let ((a, b, x), dtype) = _same_floats((a, b, x))
    _incomplete_beta(a, b, x, 1 - x).astype(dtype)
}
## betainc(a, b, x) of f64 arrays of one shape, with rest = 1 - x, which may have more digits than x.
fn _incomplete_beta(a, b, x, rest) {
    let valid = a > 0 and b > 0 and x >= 0 and rest >= 0
    let inside = valid and x > 0 and rest > 0
    let (p, q) = (where(inside, a, 1), where(inside, b, 1))
    let (t, s) = (where(inside, x, 0.5), where(inside, rest, 0.5))
    let turned = t > (p + 1) / (p + q + 2)
    let f = _beta_fraction(where(turned, q, p), where(turned, p, q), where(turned, s, t))
    let by_fraction = _beta_front(p, q, t, s) / (where(turned, q, p) * f)
    let great = inside and minimum(p, q) > 3000
    let (right, part) = if any(great) {
        let (left, by_gauss) = _beta_by_gauss(
            where(great, p, 5000),
            where(great, q, 5000),
            where(great, t, 0.5),
            where(great, s, 0.5),
        )
        (where(great, not left, turned), where(great, by_gauss, by_fraction))
    } else {
        (turned, by_fraction)
    }
    # At x = 0 and x = 1 the first term of the series there gives the derivatives.
    let (low, high) = (valid and x == 0, valid and rest == 0)
    let (c, d, y) = (where(low, a, 1), where(high, b, 1), where(low, x, where(high, rest, 1)))
    # 1 / beta(a, b) is limited to exp(80) against overflow. Where it is larger, both parameters are above 1 (or one is
    # above 5e34), and the power of 0 and its derivative are 0.
    let scale = exp(minimum(-betaln(where(low or high, a, 1), where(low or high, b, 1)), 80))
    let undefined = nan * (a + b + x)
    let end = where(low, y ** c / c * scale, where(high, 1 - y ** d / d * scale, undefined))
    where(inside, where(right, 1 - part, part), end)
}
## t^p s^q / beta(p, q) with s = 1 - t. It is computed from the ratios of t to p / (p + q) and of 1 - t to q / (p + q),
## which keeps the precision for large exponents.
fn _beta_front(p, q, t, s) {
    let difference = t * q - s * p
    let (u, v) = (difference / p, -difference / q)
    let near = maximum(abs(u), abs(v)) < 0.4
    let exponent = where(
        near,
        _log1p_rests(p, where(near, u, 0), q, where(near, v, 0)),
        p * _log_ratio(u, t * ((p + q) / p)) + q * _log_ratio(v, s * ((p + q) / q)),
    )
    let scale = sqrt(p / (p + q) * q / (2 * pi))
    scale * exp(exponent + _stirling_rest(p + q) - _stirling_rest(p) - _stirling_rest(q))
}
fn _log1p_rests(p, u, q, v) = p * u * u * _log1p_rest(u) + q * v * v * _log1p_rest(v)
## log(r) for r = 1 + u, by log1p(u) for |u| < 0.4.
fn _log_ratio(u, r) {
    let near = abs(u) < 0.4
    where(near, log1p(where(near, u, 0)), log(where(near, 1, r)))
}
## The remainder of Stirling's formula, lgamma(x) - ((x - 1/2) log(x) - x + log(2 pi) / 2), for x > 0:
## https://dlmf.nist.gov/5.11.
fn _stirling_rest(x) {
    let large = x >= 10
    let (y, z) = (where(large, x, 10), where(large, 1, x))
    where(large, _stirling_series(y), lgamma(z) - (z - 0.5) * log(z) + z - 0.9189385332046727)
}
## The remainder of Stirling's formula for x >= 10, by its asymptotic series.
fn _stirling_series(x) = polyval(_stirling[::-1], 1 / (x * x)) / x
let _stirling = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156)
## (left, part) for p and q above 3000: `part` is betainc(p, q, x) where `left` is true, else 1 - betainc(p, q, x). It
## is the integral by Gauss-Legendre quadrature from x to a point beyond which the integrand is negligible.
fn _beta_by_gauss(p, q, x, y) {
    let (m, n) = (p - 1, q - 1)
    # The density at t is that at its maximum m / (m + n), times exp(m (log(1 + u) - u) + n (log(1 + v) - v)).
    # Here u = t (m + n) / m - 1 and v = (1 - t) (m + n) / n - 1.
    let width = sqrt(m / (m + n) * n / (m + n) / (m + n))
    let difference = x * n - y * m
    let left = difference <= 0
    let slope = maximum(abs(difference) / (x * y), 1e-30)
    let length = minimum(minimum(10 * width, 45 / slope), where(left, x, y))
    let half = where(left, -0.5, 0.5) * length
    let (m_column, n_column) = (m[..., none], n[..., none])
    let step = half[..., none] * (1 + _gauss_nodes(x.dtype))
    let there = difference[..., none] + step * (m_column + n_column)
    let exponent = _log1p_rests(m_column, there / m_column, n_column, -there / n_column)
    let terms = exp(exponent) * _gauss_factors(x.dtype)
    let rest = _stirling_rest(m + n) - _stirling_rest(m) - _stirling_rest(n)
    let density = (m + n + 1) * sqrt((m + n) / m / n / (2 * pi)) * exp(rest)
    (left, abs(half) * sum(terms, axis=-1) * density)
}
## The continued fraction 1 + d1 / (1 + d2 / ...) of betainc (https://dlmf.nist.gov/8.17.E22) with 200 terms, evaluated
## from the innermost term outward.
fn _beta_fraction(a, b, x) {
    mut f = ones_like(x)
    for step in 0..100 {
        let k = 100 - step
        f = 1 + k * (b - k) * x / ((a + 2 * k - 1) * (a + 2 * k)) / f
        let j = k - 1
        f = 1 - (a + j) * (a + b + j) * x / ((a + 2 * j) * (a + 2 * j + 1)) / f
    }
    f
}

# ---- zeta and polygamma

# The coefficients B(2j) / (2j)! of the Euler-Maclaurin formula for j = 1, 2, ... 10, with Bernoulli numbers B.
let _maclaurin = (
    0.08333333333333333, -0.001388888888888889, 3.306878306878307e-05, -8.267195767195768e-07,
    2.08767569878681e-08, -5.284190138687493e-10, 1.3382536530684679e-11, -3.3896802963225827e-13,
    8.586062056277845e-15, -2.174868698558062e-16,
)

## special.zeta(x, q=1.0): the Hurwitz zeta function, the sum of (k + q)^-x over all integers k >= 0.
## It is inf at x = 1 and NaN for x < 1. For x > 1 it is inf where q is 0 or a negative integer. For other negative q
## it is NaN unless x is an integer. The first 10 terms are summed, and the Euler-Maclaurin formula gives the rest.
fn zeta(x, q=1.0) {
    let ((s, q), dtype) = _same_floats((x, q))
    let above = s > 1 and s < inf and q > 0 and q < inf
    let below = s > 1 and s < inf and q < 0 and q > -inf and s == floor(s) and q != floor(q)
    let s0 = where(above or below, s, 2)
    let part = q - floor(q)
    let y = _zeta(s0, where(above, q, where(below, part, 1)))
    # The terms with k + q < 0 have the bases 1 - part, 2 - part, ... -q, and a minus sign for odd x.
    let whole = if any(below) {
        let sign = where(s0 % 2 == 0, 1, -1)
        y + sign * _zeta(s0, where(below, 1 - part, 1)) - sign * _zeta(s0, where(below, 1 - q, 1))
    } else {
        y
    }
    let pole = s == 1 or (s > 1 and q <= 0 and q == floor(q)) or (s == inf and q > 0 and q < 1)
    let undefined =
        where((s == inf and q > 0) or (s > 1 and q == inf), where(q == 1, 1, 0), nan * (s + q))
    (where(above, y, where(below, whole, where(pole, inf, undefined)))).astype(dtype)
}
fn _zeta(s, q) {
    let w = q + 10
    mut y = 0 * s
    for k in 0..10 { y = y + (q + k) ** -s }
    y = y + w ** (1 - s) / (s - 1) + 0.5 * w ** -s
    mut factor = s * w ** (-s - 1)
    for (j, c) in tuple(enumerate(_maclaurin)) {
        y = y + c * factor
        factor = factor * (s + 2 * j + 1) * (s + 2 * j + 2) / (w * w)
    }
    y
}

## special.polygamma(n, x): the n-th derivative of digamma at x, for integers n >= 0.
## For n > 0 it is (-1)^(n + 1) n! zeta(n + 1, x). Other n give NaN.
fn polygamma(n, x) {
    let ((n, x), dtype) = _same_floats((n, x))
    let m = where(n > 0, n, 1)
    let size = _gamma(m + 1) * zeta(m + 1, x)
    let derived = where(m % 2 == 0, -size, size)
    let found = where(n > 0, derived, digamma(where(n == 0, x, 1)))
    (where(n >= 0 and n == floor(n), found, nan * (n + x))).astype(dtype)
}

# ---- more of gamma

## special.loggamma(x): log(abs(gamma(x))).
fn loggamma(x) = lgamma(x)
## special.gammasgn(x): the sign of gamma(x), 1.0 or -1.0.
## At 0 it is the sign of the zero. It is NaN at -1, -2, ..., at -inf, and for NaN.
fn gammasgn(x) {
    let x = _inexact(x)
    let pole = x < 0 and x == floor(x)
    let one = ones_like(x)
    let negative = (x < 0 and floor(x) % 2 != 0) or (x == 0 and signbit(x))
    where(pole or isnan(x), nan, where(negative, -one, one))
}
## special.poch(z, m): the Pochhammer symbol (rising factorial) gamma(z + m) / gamma(z).
## For an integer m > 0 it is z (z + 1) ... (z + m - 1). At poles it is inf.
fn poch(z, m) {
    let (z, m) = (_inexact(z), _inexact(m))
    let dtype = result_type(z, m)
    let (x, n) = broadcast_arrays(f64(z), f64(m))
    let end = x + n
    let (low, high) = (x <= 0 and x == floor(x), end <= 0 and end > -inf and end == floor(end))
    let steps = n == floor(n)
    let pole = high and not low and (x == floor(x) or not steps)
    let inside = abs(x) < inf and abs(n) < inf and not pole
    let (v, w) = (where(inside, x, 1), where(inside, end, 1))
    let (x_below, w_below) = (v <= 0, w <= 0)
    # As in beta, the reflection formula replaces v and w by 1 - v and 1 - w where they are not above 0. For an integer
    # m the two sines differ only in sign.
    let both = x_below and w_below
    let sign = where(steps and inside and n % 2 != 0, -1, 1)
    let sine = _sin_of_half_turns(where((x_below or w_below) and not (both and steps), v, 0.5))
    let end_sine =
        where(steps, sign * sine, _sin_of_half_turns(where(w_below and not steps, w, 0.5)))
    let turn = where(
        both,
        where(steps, sign, sine / where(end_sine == 0, 1, end_sine)),
        where(x_below, sine, where(w_below, 1 / end_sine, 1)),
    )
    let step = where(inside, n, 0)
    let (from, gap) = (where(both, 1 - w, v), step)
    let plain = x_below == w_below
    let ratio = _gamma_ratio(where(plain, from, 1), where(plain, gap, 0))
    let above = where(plain, 1, where(x_below, w, v))
    let below = where(plain, 1, 1 - where(x_below, v, w))
    # If only one of v and w is above 0, the size is the product of two gamma functions divided by pi, or the inverse
    # of it.
    let size = lgamma(above) + lgamma(below) - 1.1447298858494002
    let crossed = exp(where(plain, 0, where(x_below, size, -size)))
    let factor = where(plain, ratio, crossed)
    let found = turn * where(turn == 0 and factor == inf, 1, factor)
    let limit = where(
        x == inf and abs(n) < inf,
        where(n == 0, 1, where(n > 0, inf, 0)),
        where(n == inf and x > 0, inf, nan),
    )
    where(inside, found, where(pole and not isnan(x + n), inf, limit)).astype(dtype)
}
## gamma(x + n) / gamma(x) for x > 0 and x + n > 0.
fn _gamma_ratio(x, n) {
    let small = maximum(x, x + n) < 100
    let large = not small and minimum(x, x + n) >= 10
    let (y, k) = (where(large, x, 10), where(large, n, 0))
    let (v, w) = (where(large or small, 1, x), where(large or small, 0, n))
    let (p, q) = (where(small, x, 1), where(small, n, 0))
    where(
        small,
        _gamma(p + q) / _gamma(p),
        exp(where(large, -_gammaln_gap(y, k), lgamma(v + w) - lgamma(v))),
    )
}
## special.multigammaln(a, d): the logarithm of the multivariate gamma function of dimension d.
## d is an integer of at least 1 that is known at compile time.
fn multigammaln(a, d) {
    let (a, d) = (_inexact(a), _count(d, "the `d` of `special.multigammaln`", least=1))
    mut y = 0 * a + 0.25 * d * (d - 1) * 1.1447298858494002
    for i in tuple(0..d) { y = y + lgamma(a - 0.5 * i) }
    y
}
## special.boxcox(x, lmbda): the Box-Cox transform (x^lmbda - 1) / lmbda, log(x) where lmbda is 0.
fn boxcox(x, lmbda) {
    let ((x, lmbda), dtype) = _same_floats((x, lmbda))
    _power_gap(log(x), lmbda).astype(dtype)
}
## special.boxcox1p(x, lmbda): boxcox(1 + x, lmbda), accurate for x near 0.
fn boxcox1p(x, lmbda) {
    let ((x, lmbda), dtype) = _same_floats((x, lmbda))
    _power_gap(log1p(x), lmbda).astype(dtype)
}
fn _power_gap(y, lmbda) {
    let zero = lmbda == 0
    where(zero, y, expm1(where(zero, 1, lmbda) * y) / where(zero, 1, lmbda))
}

# ---- inverses of the incomplete gamma and beta functions

## special.gammaincinv(a, p): the x with gammainc(a, x) = p, f[...].
## It is 0 at p = 0, inf at p = 1, and NaN unless a > 0 and 0 <= p <= 1. Newton's method on the logarithms, within a
## bracket, computes it in f64. Its relative error is that of p divided by the slope of log(p) over log(x).
fn gammaincinv(a, p) = _gamma_inverse(a, p, 1 - p)
## special.gammainccinv(a, q): the x with gammaincc(a, x) = q, accurate also for small q. It is gammaincinv(a, 1 - q).
fn gammainccinv(a, q) = _gamma_inverse(a, 1 - q, q)
fn _gamma_inverse(a, p, q) {
    let ((a, p, q), dtype) = _same_floats((a, p, q))
    let valid = a > 0 and a < inf and p >= 0 and q >= 0
    let end = where(p == 0, 0, where(q == 0, inf, nan))
    let inside = valid and p > 0 and q > 0
    let x = _gamma_root(where(inside, a, 1), where(inside, p, 0.5), where(inside, q, 0.5))
    where(inside, x, where(valid, end, nan)).astype(dtype)
}
let _gamma_root = custom_jvp(
    fn(a, p, q) = exp(
        _bracketed(
            fn(u) = _incomplete_gamma(a, exp(u)),
            fn(u) = a * u - exp(u) - lgamma(a),
            log(a),
            p,
            q,
        ),
    ),
    fn((a, p, q), (da, dp, dq)) {
        let x = _gamma_root(a, p, q)
        let (_, (below, above)) = jvp(fn(a) = _incomplete_gamma(a, x), (a,), (da,))
        let change = where(p < q, dp - below, above - dq)
        (x, change * exp(x - (a - 1) * log(x) + lgamma(a)))
    },
)
## special.betaincinv(a, b, p): the x with betainc(a, b, x) = p, f[...].
## It is NaN unless a > 0, b > 0 and 0 <= p <= 1. The method is that of gammaincinv.
fn betaincinv(a, b, p) = _beta_inverse(a, b, p, 1 - p)
## special.betainccinv(a, b, q): the x with 1 - betainc(a, b, x) = q, accurate also for small q.
fn betainccinv(a, b, q) = _beta_inverse(a, b, 1 - q, q)
fn _beta_inverse(a, b, p, q) {
    let ((a, b, p, q), dtype) = _same_floats((a, b, p, q))
    let valid = a > 0 and b > 0 and a < inf and b < inf and p >= 0 and q >= 0
    let inside = valid and p > 0 and q > 0
    let half = fn(p) = where(inside, p, 0.5)
    let x = _beta_root(where(inside, a, 1), where(inside, b, 1), half(p), half(q))
    where(inside, x, where(valid, where(p == 0, 0, 1), nan)).astype(dtype)
}
let _beta_root = custom_jvp(
    fn(a, b, p, q) = logistic(
        _bracketed(
            fn(u) {
                let (x, y) = (logistic(u), logistic(-u))
                (_incomplete_beta(a, b, x, y), _incomplete_beta(b, a, y, x))
            },
            fn(u) = -a * logaddexp(0, -u) - b * logaddexp(0, u) - betaln(a, b),
            log(a / b),
            p,
            q,
        ),
    ),
    fn((a, b, p, q), (da, db, dp, dq)) {
        let x = _beta_root(a, b, p, q)
        let tails = fn(a, b) = (_incomplete_beta(a, b, x, 1 - x), _incomplete_beta(b, a, 1 - x, x))
        let (_, (below, above)) = jvp(tails, (a, b), (da, db))
        let change = where(p < q, dp - below, above - dq)
        (x, change * exp(betaln(a, b) - (a - 1) * log(x) - (b - 1) * log1p(-x)))
    },
)
## The u at which the increasing function of u has the value p = 1 - q. tails(u) is (the function, 1 - the function),
## and log_slope(u) the logarithm of its derivative. The iteration is Newton's method for the logarithm of the smaller
## tail, from u = start. A step that leaves the bracket [-800, 800] or does not halve it is a bisection.
fn _bracketed(tails, log_slope, start, p, q) {
    let left = p <= q
    let goal = log(minimum(p, q))
    mut (lo, hi) = (full_like(p, -800), full_like(p, 800))
    mut (u, width, open, steps) = (start + 0 * p, hi - lo, p == p, 0)
    while any(open) and steps < 100 {
        let (below, above) = tails(u)
        let found = where(left, below, above)
        let gap = log(found) - goal
        let high = (gap > 0) == left
        (lo, hi) = (where(high, lo, u), where(high, u, hi))
        let step = gap * exp(log(found) - log_slope(u)) * where(left, -1, 1)
        let next = u + step
        let good = next > lo and next < hi and (steps < 4 or abs(step) < 0.5 * width)
        let done = abs(step) <= 1e-16 * maximum(abs(u), 1) or gap == 0 or next == u
        let moved = where(gap == 0, u, where(good or done, next, 0.5 * (lo + hi)))
        let kept = where(open, moved, u)
        (width, open) = (abs(kept - u), open and not done and hi - lo > 1e-16 * abs(u))
        (u, steps) = (kept, steps + 1)
    }
    u
}

# ---- scaled error functions

# The trapezoidal and midpoint rules for the integral of exp(-t^2) / (z - t), with 12 nodes t > 0 and corrections for
# the pole at z. Absolute and relative errors are below 1e-14. Source: M. Al Azah and S. N. Chandler-Wilde, Computation
# of the complex error function using modified trapezoidal rules, SIAM J. Numer. Anal. 59 (2021).
let _trapezoid_step = 0.5116633539732443
let _midpoints = (_trapezoid_step * (k + 0.5) for k in tuple(0..12))
let _endpoints = (_trapezoid_step * k for k in tuple(1..13))
fn _pole_sum(nodes, square) {
    mut y = 0 * square
    for t in nodes { y = y + exp(-t * t) / (square - t * t) }
    y
}
## special.erfcx(x): the scaled complementary error function exp(x^2) erfc(x), f[...]. It is computed in f64.
fn erfcx(x) {
    let x = _inexact(array(x))
    _erfcx(f64(x)).astype(x.dtype)
}
let _erfcx = custom_jvp(
    fn(x) {
        let y = minimum(abs(x), 1e8)
        # w(i y) of the midpoint rule
        let sum = -2 * _trapezoid_step / pi * y * _pole_sum(_midpoints, -y * y)
        let near = minimum(y, 7)
        let pole = 2 * exp(near * near) / (1 + exp(2 * pi / _trapezoid_step * near))
        let far = 0.5641895835477563 / abs(x)
        let above = where(y == 1e8, far, where(y < 6.14, sum + pole, sum))
        where(x < 0, 2 * _exp_of_square(x) - above, where(isnan(x), x, above))
    },
    fn((x,), (dx,)) = (_erfcx(x), (2 * x * _erfcx(x) - 1.1283791670955126) * dx),
)
## exp(x^2). x is the sum of a part with few digits, whose square is exact, and a rest.
fn _exp_of_square(x) {
    let y = minimum(abs(x), 30)
    let part = round(y * 4096) / 4096
    exp(part * part) * exp((y - part) * (y + part))
}
## special.dawsn(x): Dawson's integral exp(-x^2) times the integral of exp(t^2) from 0 to x, f[...].
## It is computed in f64.
fn dawsn(x) {
    let x = _inexact(array(x))
    _dawsn(f64(x)).astype(x.dtype)
}
let _dawsn = custom_jvp(
    fn(x) {
        let y = clip(x, -1e8, 1e8)
        let turns = y / _trapezoid_step
        let part = abs(turns) - floor(abs(turns))
        let ends = part > 0.25 and part < 0.75
        let z = where(ends, y, 1)
        let angle = pi * (turns - round(turns))
        let fall = exp(-y * y)
        let (factor, square) = (2 * _trapezoid_step / pi, y * y)
        let by_midpoints =
            factor * y * _pole_sum(_midpoints, where(ends, 0, square)) +
            fall * tan(where(ends, 0, angle))
        let by_ends =
            factor * (0.5 / z + z * _pole_sum(_endpoints, z * z)) -
            fall / tan(where(ends, angle, 1))
        where(abs(x) >= 1e8, 0.5 / x, 0.886226925452758 * where(ends, by_ends, by_midpoints))
    },
    fn((x,), (dx,)) = (_dawsn(x), (1 - 2 * x * _dawsn(x)) * dx),
)
## special.wofz(z): the Faddeeva function exp(-z^2) erfc(-i z) of complex z, c64[...] or c128[...].
## Real z are converted to complex numbers. It is computed in c128. It is inf or NaN where the result overflows.
fn wofz(z) {
    let z = array(z)
    let wide = z.dtype == c128 or z.dtype == f64 or z.dtype == i64
    let w = _wofz(c128(z))
    if wide { w } else { c64(w) }
}
let _wofz = custom_jvp(
    fn(z) {
        let below = imag(z) < 0
        let (x, y) = (abs(real(z)), abs(imag(z)))
        let w = _wofz_above(x, y)
        # w(-conj(z)) is conj(w(z)), and w(-z) is 2 exp(-z^2) - w(z)
        let turned = where((real(z) < 0) == below, w, conj(w))
        where(below, 2 * exp(-z * z) - turned, turned)
    },
    fn((z,), (dz,)) = (_wofz(z), (complex(0, 1.1283791670955126) - 2 * z * _wofz(z)) * dz),
)
## w(x + i y) for x >= 0 and y >= 0.
fn _wofz_above(x, y) {
    let great = x > 1e8 or y > 1e8
    let z = complex(where(great, 1, x), where(great, 1, y))
    let (h, square) = (_trapezoid_step, z * z)
    let turns = x / h - floor(x / h)
    let far = y >= x and y >= pi / h
    let ends = y < x and turns >= 0.25 and turns <= 0.75
    let at = where(ends, z, 1)
    let factor = complex(0, 2 * h / pi)
    let sum = where(
        ends,
        0.5 / at + at * _pole_sum(_endpoints, where(ends, square, 1)),
        z * _pole_sum(_midpoints, where(ends, complex(-1, 0), square)),
    )
    # exp(-2 pi i z / h) and exp(-z^2); both are large only where the result of the rule suffices
    let low = where(far, complex(0.0, 0.0), z)
    let turn = exp(complex(0, -2 * pi / h) * complex(h * turns, minimum(imag(low), 50)))
    let pole = 2 * exp(-low * low) / (1 + where(ends, -turn, turn))
    let near = factor * sum + where(far or imag(low) > 50, complex(0.0, 0.0), pole)
    where(great, complex(0.0, 0.5641895835477563) / complex(x, y), near)
}

# ---- exponential, trigonometric and Fresnel integrals, dilogarithm

## special.expn(n, x): the exponential integral, that of exp(-x t) / t^n over t from 1 to inf, f[...].
## n are integers of at least 0, other n and x < 0 give NaN. It is computed in f64, by its power series for x < 2 and
## by 50 levels of its continued fraction otherwise: https://dlmf.nist.gov/8.19.
fn expn(n, x) {
    let ((n, x), dtype) = _same_floats((n, x))
    _expn(stop_gradient(n), x).astype(dtype)
}
let _expn = custom_jvp(
    fn(n, x) = _expn_values(n, x),
    fn((n, x), (_, dx)) {
        let below = where(n == 0, exp(-x) * (1 + 1 / x) / x, _expn(maximum(n - 1, 0), x))
        (_expn(n, x), -below * dx)
    },
)
fn _expn_values(n, x) {
    let inside = n > 0 and n < inf and n == floor(n) and x > 0 and x < inf
    let near = inside and x < 2 and n < 1e6
    let far = inside and not near
    let series = _expn_series(where(near, n, 1), where(near, x, 1))
    let fraction = _expn_fraction(where(far, n, 1), where(far, x, 4))
    let elsewhere = where(
        n == 0 and x > 0,
        where(x == inf, 0, exp(-x) / x),
        where(x == 0, where(n > 1, 1 / (n - 1), inf), 0),
    )
    let valid = n >= 0 and n == floor(n) and x >= 0
    where(near, series, where(far, fraction, where(valid, elsewhere, nan)))
}
fn _expn_series(n, x) {
    mut (term, y) = (ones_like(x), zeros_like(x))
    for m in 0..34 {
        let log_term = m == n - 1
        y = y + term * where(log_term, digamma(n) - log(x), -1 / where(log_term, 1, m - n + 1))
        term = -term * x / (m + 1)
    }
    y
}
fn _expn_fraction(n, x) {
    mut f = x + n + 100
    for step in 0..50 {
        let k = 50 - step
        f = x + n + 2 * (k - 1) - k * (n + k - 1) / f
    }
    exp(-x) / f
}
## special.exp1(x): the exponential integral expn(1, x), inf at 0 and NaN for x < 0.
fn exp1(x) = expn(1, _inexact(array(x)))
## special.expi(x): the exponential integral, the principal value of that of exp(t) / t over t from -inf to x, f[...].
## It is -inf at 0, and -exp1(-x) for x < 0. It is computed in f64, by its power series for 0 < x < 40 and its
## asymptotic series above: https://dlmf.nist.gov/6.6, https://dlmf.nist.gov/6.12.
fn expi(x) {
    let x = _inexact(array(x))
    _expi(f64(x)).astype(x.dtype)
}
let _expi = custom_jvp(
    fn(x) {
        let (near, far) = (x > 0 and x < 40, x >= 40)
        let (a, b) = (where(near, x, 1), where(far, minimum(x, 800), 40))
        mut (term, sum) = (ones_like(x), zeros_like(x))
        for k in 1..121 {
            term = term * a / k
            sum = sum + term / k
        }
        mut rest = ones_like(x)
        for step in 0..40 { rest = 1 + (40 - step) / b * rest }
        let above = exp(0.5 * b) * (exp(0.5 * b) / b * rest)
        let below = -_expn(ones_like(x), where(x < 0, -x, 1))
        where(near, euler_gamma + log(a) + sum, where(far, above, where(x < 0, below, -inf + x)))
    },
    fn((x,), (dx,)) = (_expi(x), exp(x) / x * dx),
)

## special.sici(x): the pair (Si(x), Ci(x)) of the sine and cosine integrals, each f[...].
## Ci(x) is -inf at 0, for x < 0 it is the real part Ci(-x). They are computed in f64, by power series for |x| < 4 and
## by 60 levels of the continued fraction of exp1(i x) otherwise: https://dlmf.nist.gov/6.5, https://dlmf.nist.gov/6.9.
fn sici(x) {
    let x = _inexact(array(x))
    let (s, c) = _sici(f64(x))
    (s.astype(x.dtype), c.astype(x.dtype))
}
# Coefficients of Si(x) / x and of (Ci(x) - euler_gamma - log(x)) / x^2 in x^2, highest power first.
let _si_series = (
    3.489798672961197e-39, -3.922984005011348e-36, 3.8999872022233505e-33, -3.401366616220572e-30,
    2.5787801137537893e-27, -1.6818131176655147e-24, 9.32044812542441e-22, -4.326650129802279e-19,
    1.6537983849091297e-16, -5.0981091545465446e-14, 1.2353110643708935e-11, -2.27746439867652e-09,
    3.0619243582206544e-07, -2.834467120181406e-05, 0.0016666666666666668, -0.05555555555555555,
    1.0,
)
let _ci_series = (
    -9.962228045650476e-41, 1.1876221108921073e-37, -1.2566625429386353e-34, 1.1713890132392279e-31,
    -9.53690870471076e-29, 6.715573212900493e-26, -4.0439960874775335e-23, 2.0551588116560825e-20,
    -8.677337204770125e-18, 2.9871733327421158e-15, -8.193389712664089e-13, 1.7397297489890083e-10,
    -2.755731922398589e-08, 3.1001984126984127e-06, -0.0002314814814814815, 0.010416666666666666,
    -0.25,
)
let _sici = custom_jvp(
    fn(x) {
        let size = abs(x)
        let (near, far) = (size < 4, size > 1e15)
        let y = where(near, x, 1)
        let z = where(near or far, 4, size)
        mut f = complex(121.0, z)
        for step in 0..60 {
            let k = 60 - step
            f = complex(2.0 * k - 1, z) - k * k / f
        }
        let e = complex(cos(z), -sin(z)) / f
        let s = y * polyval(_si_series, y * y)
        let c = euler_gamma + log(abs(y)) + y * y * polyval(_ci_series, y * y)
        let (s_far, c_far) = (where(far, 0, imag(e)), where(far, sin(x) / x, -real(e)))
        (
            where(isnan(x), x, where(near, s, sign(x) * (pi / 2 + s_far))),
            where(near, c, where(size == inf, where(x > 0, 0, nan), c_far)),
        )
    },
    fn((x,), (dx,)) = (_sici(x), (sinc(x / pi) * dx, cos(x) / x * dx)),
)

## special.fresnel(x): the pair (S(x), C(x)) of the Fresnel integrals, each f[...].
## They are the integrals of sin(pi t^2 / 2) and cos(pi t^2 / 2) from 0 to x, computed in f64: by power series for
## |x| < 1.6, and otherwise from wofz: https://dlmf.nist.gov/7.5.
fn fresnel(x) {
    let x = _inexact(array(x))
    let (s, c) = _fresnel(f64(x))
    (s.astype(x.dtype), c.astype(x.dtype))
}
# Coefficients of S(x) / (u x) and of C(x) / x in u^2 for u = pi x^2 / 2, highest power first.
let _fresnel_s = (
    -1.669761793417372e-30, 1.2641078988989164e-27, -8.230149299214221e-25, 4.5518467589282e-22,
    -2.107855191442136e-19, 8.032735012415773e-17, -2.466827010264457e-14, 5.9477940136376354e-12,
    -1.0892221037148573e-09, 1.4503852223150468e-07, -1.3227513227513228e-05, 0.0007575757575757576,
    -0.023809523809523808, 0.3333333333333333,
)
let _fresnel_c = (
    -4.6784835155184856e-29, 3.289260349175752e-26, -1.977064753877905e-23, 1.0025164934907719e-20,
    -4.221407288807088e-18, 1.4483264643598138e-15, -3.9554295164585257e-13, 8.35070279514724e-11,
    -1.3122532963802806e-08, 1.4589169000933706e-06, -0.00010683760683760684, 0.004629629629629629,
    -0.1, 1.0,
)
let _fresnel = custom_jvp(
    fn(x) {
        let near = abs(x) < 1.6
        let y = where(near, x, 0)
        let u = 0.5 * pi * y * y
        let (s, c) = (
            u * y * polyval(_fresnel_s, u * u),
            y * polyval(_fresnel_c, u * u),
        )
        let size = where(near, 2, minimum(abs(x), 1e15))
        let z = 0.8862269254527580 * size
        let (sine, cosine) = _turn_of_square(size)
        # (1 + i) / 2 (1 - exp(i pi x^2 / 2) w((1 + i) z))
        let rest = complex(cosine, sine) * _wofz_above(z, z)
        let part = complex(0.5, 0.5) * (1 - rest)
        let end = sign(x) * 0.5
        (
            where(near, s, where(abs(x) > 1e15, end, sign(x) * imag(part))),
            where(near, c, where(abs(x) > 1e15, end, sign(x) * real(part))),
        )
    },
    fn((x,), (dx,)) {
        let (sine, cosine) = _turn_of_square(x)
        (_fresnel(x), (sine * dx, cosine * dx))
    },
)
## (sin(pi x^2 / 2), cos(pi x^2 / 2)). With the nearest integer n of x, x^2 = n^2 + 2 n (x - n) + (x - n)^2, whose
## second term is exact.
fn _turn_of_square(x) {
    let n = round(x)
    let rest = x - n
    let u = n % 2 + (2 * n * rest) % 4 + rest * rest
    (sin(0.5 * pi * u), cos(0.5 * pi * u))
}

## special.spence(x): the dilogarithm of 1 - x, minus the integral of log(t) / (t - 1) from 1 to x, f[...].
## It is NaN for x < 0. It is computed in f64, by the series of Li2(z) in log(1 - z) with Bernoulli numbers.
fn spence(x) {
    let x = _inexact(array(x))
    _spence(f64(x)).astype(x.dtype)
}
# B(2 k) / (2 k + 1)! for k = 9, 8, ... 1.
let _debye = (
    4.518980029619918e-16, -1.9939295860721074e-14, 8.921691020456452e-13, -4.0647616451442256e-11,
    1.8978869988971e-09, -9.185773074661964e-08, 4.72411186696901e-06, -0.0002777777777777778,
    0.027777777777777776,
)
let _spence = custom_jvp(
    fn(x) {
        let above = x > 2
        let y = where(above, 1 / x, x)
        let below = y < 0.5
        let v = where(below, 1 - y, y)
        let log_v = where(below, log1p(-y), log(v))
        let near = -log_v * (1 + 0.25 * log_v + log_v ** 2 * polyval(_debye, log_v ** 2))
        let reflected = 1.6449340668482264 - where(y == 0, 0, log(y) * log_v) - near
        let inside = where(below, reflected, near)
        where(above, -0.5 * log(x) ** 2 - inside, where(x >= 0, inside, nan))
    },
    fn((x,), (dx,)) = (_spence(x), where(x == 1, -1, log(x) / (1 - x)) * dx),
)

# ---- spherical harmonics

## special.sph_harm_y(n, m, theta, phi, n_max=none): the spherical harmonic of degree n and order m at the polar angle
## theta, from 0 to pi, and the azimuth phi: orthonormal on the sphere, with the phase (-1) ** m of Condon and Shortley.
## n and m are integers or arrays of them, the angles f[...]; all broadcast. The result is complex. It is NaN for n < 0,
## and 0 for |m| > n. n_max: a bound of n that is known at compile time; none: the greatest n.
## Source: the recurrences of https://dlmf.nist.gov/14.10 for functions that are normalized, in f64.
fn sph_harm_y(n, m, theta, phi, n_max=none) {
    if not _is_numeric(n) or
            not _is_numeric(m) or
            not _is_integer(array(n)) or
            not _is_integer(array(m)) {
        _refuse("`special.sph_harm_y` needs integers n and m, got {_type(n)} and {_type(m)}")
    }
    let (n, m) = (i32(n), i32(m))
    let order = abs(m)
    let (theta, phi) = (_inexact(array(theta)), _inexact(array(phi)))
    let dtype = result_type(theta, phi)
    let last = if n_max == none { max(n) } else { n_max }
    let value = _legendre(n, order, f64(cos(theta)), f64(sin(theta)), last)
    let sign = where(m < 0 and order % 2 == 1, -1, 1)
    let made = (sign * value).astype(dtype) * exp(1j * (m * phi).astype(dtype))
    where(n < 0, nan, where(order > n, 0, made))
}
## The associated Legendre functions of degree n and order m >= 0 at the cosine c, normalized for spherical harmonics.
## First the order increases to m, then the degree from m to n.
fn _legendre(n, m, c, s, last) {
    mut value = 0.28209479177387814 + 0 * (n + m + c + s)
    for k in 1..last + 1 {
        value = where(k <= m, -sqrt((2f64 * k + 1) / (2f64 * k)) * s * value, value)
    }
    mut before = 0 * value
    for k in 1..last + 1 {
        let on = k > m and k <= n
        let apart = where(on, f64(k * k - m * m), 1)
        let lower =
            where(k > m + 1, (f64((k - 1) ** 2) - f64(m * m)) / (4.0 * f64(k - 1) ** 2 - 1), 0)
        let next =
            sqrt((4.0 * f64(k) ** 2 - 1) / apart) * (
                c * value - sqrt(where(lower > 0, lower, 1)) * where(lower > 0, before, 0)
            )
        (before, value) = (where(on, value, before), where(on, next, value))
    }
    value
}

# ---- Bessel functions of integer order, hypergeometric functions

## special.bessel_jn(z, v): the Bessel functions of the first kind of orders 0, 1, ... v at z f[...], f[v + 1, ...].
## v is known at compile time. They are computed in f64: for |z| up to max(60, v) by Miller's backward recurrence,
## above by the asymptotic expansions of orders 0 and 1 and the forward recurrence: https://dlmf.nist.gov/10.74.
fn bessel_jn(z, v) {
    let z = _inexact(array(z))
    let v = _count(v, "the `v` of `special.bessel_jn`")
    let y = _bessel_jn(f64(z), v + 1)
    y[:v + 1].astype(z.dtype)
}
let _bessel_jn = custom_jvp(
    fn(z, v) = _bessel_values(z, v),
    fn((z, v), (dz, _)) {
        let y = _bessel_jn(z, v + 1)
        let below = concatenate((-y[1:2], y[:v]))
        (
            y[:v + 1],
            0.5 *
                (
                    where(
                        (arange(v + 1) == 0).reshape((v + 1,) + (1,) * z.ndim),
                        2 * below,
                        below - y[1:],
                    )
                ) *
                dz,
        )
    },
)
fn _bessel_values(z, v) {
    let limit = if v > 60 { v } else { 60 }
    let size = abs(z)
    let near = size <= limit
    let low = _bessel_miller(where(near, size, 1), v, limit + 60 + limit // 4)
    let high = _bessel_forward(where(near or size == inf, 2 * limit, size), v)
    let values = where(near, low, where(size == inf, 0, high))
    let odd = (arange(v + 1) % 2 == 1).reshape((v + 1,) + (1,) * z.ndim)
    where(isnan(z), nan, where(odd and z < 0, -values, values))
}
## J_0 ... J_v by the recurrence from order n downward, normalized by J_0 + 2 J_2 + 2 J_4 + ... = 1. Numbers above
## 1e150 are scaled by 1e-150; `shifts` counts the scalings.
fn _bessel_miller(z, v, n) {
    let tiny = z < 1e-100
    let y = where(tiny, 1, z)
    let step = fn((f, g, sum, shifts), k) {
        let large = abs(g) > 1e150
        let scale = where(large, 1e-150, 1)
        let next = 2 * (k + 1) / y * g * scale - f * scale
        let total = sum * scale + where(k % 2 == 0, where(k == 0, 1, 2), 0) * next
        let count = shifts + where(large, 1, 0)
        ((g * scale, next, total, count), (next, count))
    }
    let start = (0 * y, 0 * y + 1e-150, 0 * y, i32(0 * y))
    let orders = f64(arange(n)[::-1])
    let ((_, _, total, last), (values, counts)) = scan(step, start, orders)
    let kept = values[n - v - 1:][::-1] * 1e-150 ** f64(last - counts[n - v - 1:][::-1])
    let first = (arange(v + 1) == 0).reshape((v + 1,) + (1,) * z.ndim)
    where(
        tiny,
        where(first, 1, where((arange(v + 1) == 1).reshape(first.shape), 0.5 * z, 0)),
        kept / total,
    )
}
## J_0 ... J_v for z > 60 and z > v.
fn _bessel_forward(z, v) {
    mut (a, b) = (_bessel_far(z, 0), _bessel_far(z, 1))
    let (_, rows) = scan(
        fn((a, b), k) = ((b, 2 * k / z * b - a), a),
        (a, b),
        f64(arange(v + 1) + 1),
    )
    rows
}
## J_n, n = 0 or 1, by Hankel's expansion with 18 terms.
fn _bessel_far(z, n) {
    mut (term, p, q) = (ones_like(z), ones_like(z), zeros_like(z))
    for k in tuple(1..19) {
        term = term * (4 * n * n - (2 * k - 1) ** 2) / (8 * k * z)
        let turned = if k % 4 < 2 { term } else { -term }
        if k % 2 == 0 { p = p + turned } else { q = q + turned }
    }
    # cos and sin of z - (n / 2 + 1 / 4) pi, times sqrt(2)
    let (s, c) = (sin(z), cos(z))
    let (cosine, sine) = if n == 0 { (c + s, s - c) } else { (s - c, -s - c) }
    (cosine * p - sine * q) / sqrt(pi * z)
}

## special.hyp1f1(a, b, x): Kummer's confluent hypergeometric function, f[...].
## It is NaN where b is 0 or a negative integer. It is computed in f64 by the power series, for
## x < 0 after Kummer's transformation, and for x < -100 by the asymptotic series: https://dlmf.nist.gov/13. Errors are
## relative to the largest term of the series, so that cancellation limits the precision for large parameters.
fn hyp1f1(a, b, x) {
    let ((a, b, x), dtype) = _same_floats((a, b, x))
    _hyp1f1(a, b, x).astype(dtype)
}
let _hyp1f1 = custom_jvp(
    fn(a, b, x) = _hyp1f1_values(a, b, x),
    fn((a, b, x), (da, db, dx)) {
        let of_shape = fn(a, b) = _hyp1f1_values(a, b, x)
        let (y, dy) = jvp(of_shape, (a, b), (da, db))
        (y, dy + a / b * _hyp1f1(a + 1, b + 1, x) * dx)
    },
)
fn _hyp1f1_values(a, b, x) {
    let pole = b <= 0 and b == floor(b)
    let turned = x < 0 and not (a <= 0 and a == floor(a))
    let far = turned and x < -100
    let b = where(pole, 1, b)
    let (p, y) = (where(turned, b - a, a), where(far, 1, where(turned, -x, x)))
    let sum = _power_series(fn(k) = (p + k) / (b + k) / (k + 1) * y, b)
    let near = where(turned, exp(-y) * sum, sum)
    # the asymptotic series up to its least term
    let z = where(far, -x, 100)
    mut (term, rest, open) = (ones_like(z), ones_like(z), far)
    for k in 0..60 {
        let next = term * (a + k) * (a - b + 1 + k) / ((k + 1) * z)
        open = open and abs(next) <= abs(term)
        term = where(open, next, 0)
        rest = rest + term
    }
    let scale = gammasgn(b) * gammasgn(b - a) * exp(lgamma(b) - lgamma(b - a) - a * log(z))
    let last = where(b - a <= 0 and b - a == floor(b - a), 0, scale * rest)
    where(pole, nan, where(far, last, near))
}
## The sum of terms from 1 on, whose successive ratios are ratio(k), k = 0, 1, ... It ends where terms are below the
## rounding error and k > -c. It is NaN if 500000 terms do not suffice.
fn _power_series(ratio, c) {
    mut (term, sum, k) = (ones_like(c), ones_like(c), 0)
    mut open = c == c
    while any(open) and k < 500000 {
        term = where(open, term * ratio(k), 0)
        sum = sum + term
        k = k + 1
        # a sum that ends with a zero factor has derivatives with respect to the parameters in further terms
        let more = abs(term) > 1e-17 * abs(sum) or k + c < 1
        open = open and where(term == 0, k < 100, more)
    }
    where(open, nan, sum)
}
## special.hyp2f1(a, b, c, x): Gauss's hypergeometric function, f[...].
## For x > 1 it is inf unless a or b is 0 or a negative integer. It is NaN where c is 0 or a negative integer. It is
## computed in f64 by the power series. Pfaff's transformation precedes for x < 0, and the expansion about 1 for x >
## 0.9: https://dlmf.nist.gov/15.8. The expansion needs a c - a - b that is not an integer; for integers the power
## series is used, and the result is NaN for x nearer to 1 than 1e-4. Errors are relative to the largest term.
fn hyp2f1(a, b, c, x) {
    let ((a, b, c, x), dtype) = _same_floats((a, b, c, x))
    _hyp2f1(a, b, c, x).astype(dtype)
}
let _hyp2f1 = custom_jvp(
    fn(a, b, c, x) = _hyp2f1_values(a, b, c, x),
    fn((a, b, c, x), (da, db, dc, dx)) {
        let of_shape = fn(a, b, c) = _hyp2f1_values(a, b, c, x)
        let (y, dy) = jvp(of_shape, (a, b, c), (da, db, dc))
        (y, dy + a * b / c * _hyp2f1(a + 1, b + 1, c + 1, x) * dx)
    },
)
fn _hyp2f1_values(a, b, c, x) {
    let ends = fn(p) = p <= 0 and p == floor(p)
    let pole = ends(c)
    let finite = ends(a) or ends(b)
    let turned = x < 0 and not finite
    let (p, q) = (a, where(turned, c - b, b))
    let y = where(turned, x / (x - 1), x)
    let rest = where(turned, 1 / (1 - x), 1 - x)
    let gap = c - p - q
    let whole = gap == floor(gap)
    let one = rest == 0 and not finite
    let about_1 = rest < 0.1 and rest > 0 and not finite and not whole
    let above = rest < 0 and not finite
    let outside = above or one or pole or isnan(x)
    let r = where(outside or about_1, 0, y)
    let d = where(pole, 1, c)
    let near = _power_series(fn(k) = (p + k) * (q + k) / ((d + k) * (k + 1)) * r, d)
    let (g, s) = (where(about_1, gap, 0.5), where(about_1, rest, 0.1))
    let first = _power_series(fn(k) = (p + k) * (q + k) / ((1 - g + k) * (k + 1)) * s, 1 - g)
    let second =
        _power_series(fn(k) = (d - p + k) * (d - q + k) / ((1 + g + k) * (k + 1)) * s, 1 + g)
    let far = _gammas(d, g, d - p, d - q) * first + s ** g * _gammas(d, -g, p, q) * second
    let at_1 = where(gap > 0, _gammas(d, where(gap > 0, gap, 1), d - p, d - q), inf)
    let inside = where(about_1, far, where(one, at_1, where(above, inf, near)))
    where(pole or isnan(x), nan, where(turned, (1 - x) ** -p * inside, inside))
}
## gamma(a) gamma(b) / (gamma(c) gamma(d)), 0 where c or d is a pole.
fn _gammas(a, b, c, d) {
    let pole = (c <= 0 and c == floor(c)) or (d <= 0 and d == floor(d))
    let (e, f) = (where(pole, 1, c), where(pole, 1, d))
    let sign = gammasgn(a) * gammasgn(b) * gammasgn(e) * gammasgn(f)
    where(pole, 0, sign * exp(lgamma(a) + lgamma(b) - lgamma(e) - lgamma(f)))
}

## special.owens_t(h, a): Owen's T function, the integral of exp(-h^2 (1 + t^2) / 2) / (1 + t^2) over t from 0 to a,
## divided by 2 pi, f[...]. It is computed in f64 by Gauss-Legendre quadrature for |a| <= 1 and by a reflection above.
fn owens_t(h, a) {
    let ((h, a), dtype) = _same_floats((h, a))
    let (x, y) = (abs(h), abs(a))
    let turned = y > 1
    let (p, q) = (where(turned, x * y, x), where(turned, 1 / y, y))
    # the integrand is negligible beyond 10 / h
    let half = 0.5 * minimum(q, 10 / maximum(p, 1e-3))
    let t = half[..., none] * (1 + _gauss_nodes(f64))
    let squares = 1 + t * t
    let terms = exp(-0.5 * (p * p)[..., none] * squares) / squares * _gauss_factors(f64)
    let part = half * sum(terms, axis=-1) / (2 * pi)
    # with the tails r = ndtr(-x) and s = ndtr(-x y): T = (r + s) / 2 - r s - T(x y, 1 / y)
    let (r, s) = (ndtr(-x), ndtr(-p))
    let reflected = 0.5 * (r + s) - r * s - part
    (sign(a) * where(turned, reflected, part)).astype(dtype)
}

## special.bernoulli(n, dtype=f32): the Bernoulli numbers B_0 ... B_n, f[n + 1], with B_1 = -1/2.
## n is known at compile time. They are computed in f64 from values of the zeta function.
fn bernoulli(n, dtype=f32) {
    let n = _count(n, "the `n` of `special.bernoulli`")
    let k = f64(arange(n + 1))
    let m = maximum(k, 2)
    let size = 2 * exp(lgamma(m + 1) - m * log(2 * pi)) * zeta(m)
    let even = where(k % 4 == 2, size, -size)
    where(k == 0, 1, where(k == 1, -0.5, where(k % 2 == 1, 0, even))).astype(dtype)
}
## special.softmax(x, axis=none): exp(x) / sum(exp(x)) along `axis`, over all of x if it is none. It is nn.softmax.
fn softmax(x, axis=none) = nn.softmax(x, axis=axis)
## special.log_softmax(x, axis=none): the logarithm of softmax(x). It is nn.log_softmax.
fn log_softmax(x, axis=none) = nn.log_softmax(x, axis=axis)

test "special functions at known places" {
    assert(allclose(gamma([0.5, 5.0, -1.5]), [1.7724539, 24.0, 2.3632718], rtol=1e-5))
    assert(allclose(factorial(5.0), 120, rtol=1e-5) and allclose(comb(10.0, 3.0), 120))
    assert(allclose(logit(expit(0.7)), 0.7) and allclose(ndtr(ndtri(0.9)), 0.9))
    assert(allclose(log_ndtr([-10.0, -2.0, 1.0]), [-53.231285, -3.783184, -0.172753], rtol=1e-4))
    assert(allclose(xlogy(0.0, 0.0), 0) and allclose(entr(0.5), 0.34657359))
    assert(allclose(kl_div([2.0, 0.0], 3.0), [0.1890698, 3]))
    assert(
        allclose(i0([0.0, 1.0, 5.0]), [1.0, 1.2660659, 27.239872], rtol=1e-5) and
        allclose(i1([1.0, 5.0]), [0.5651591, 24.335642], rtol=1e-5),
    )
}

test "integrals and inverses at known places, with their derivatives" {
    let x = f64([0.5, 3.0])
    let found = (
        exp1(x),
        expi(x),
        expn(3, x),
        sici(x)[0],
        sici(x)[1],
        fresnel(x)[0],
        fresnel(x)[1],
        spence(x),
        dawsn(x),
        erfcx(x),
        hyp1f1(1.5, 2.5, -x),
        hyp2f1(1.5, 0.3, 2.5, -x),
        owens_t(x, 2.0),
    )
    let known = f64([
        [0.5597735947761608, 0.013048381094197039],
        [0.45421990486317354, 9.933832570625416],
        [0.22160436427517846, 0.008930646556022727],
        [0.49310741804306674, 1.848652527999468],
        [-0.17778407880661287, 0.11962978600800067],
        [0.06473243285999929, 0.496312998967375],
        [0.4923442258714464, 0.6057207892976857],
        [0.5822405264650135, -1.436746366883681],
        [0.4244363835020223, 0.17827103061055827],
        [0.6156903441929258, 0.17900115118138998],
        [0.747281196538546, 0.22727824593178753],
        [0.9262111863201988, 0.7480678116529333],
        [0.1415806036539784, 0.0006749490155352169],
    ])
    for (y, z) in tuple(zip(found, tuple(known))) { assert(allclose(y, z, rtol=1e-13, atol=0)) }
    assert(allclose(real(wofz(complex(x, x))), [0.5331567079121748, 0.09640250558304467]))
    assert(allclose(vmap(grad(spence))(f64([1.0, 3.0])), [-1.0, -0.5493061443340549], rtol=1e-14))
    let p = f64([1e-10, 0.3, 0.8])
    assert(allclose(gammainc(2.5, gammaincinv(2.5, p)), p, rtol=1e-13, atol=0))
    assert(allclose(betainc(0.5, 2.5, betaincinv(0.5, 2.5, p)), p, rtol=1e-13, atol=0))
    assert(allclose(betaincinv(0.5, 2.5, p) + betainccinv(2.5, 0.5, p), 1, rtol=1e-14))
    let slope = grad(fn(a) = gammainc(a, gammaincinv(a, f64(0.3))))(f64(2.5))
    assert(abs(slope) < 1e-14 and isnan(gammaincinv(-1.0, 0.5)) and gammainccinv(2.0, 0.0) == inf)
    assert(allclose(bessel_jn([0.0, 3.0, 70.0], 2)[2], [0.0, 0.48609126, -0.09462337]))
    assert(allclose(bernoulli(4), [1.0, -0.5, 0.16666667, 0.0, -0.033333335]))
    assert(hyp2f1(1.5, 0.5, 2.5, 2.0) == inf and hyp2f1(-2.0, 1.0, 1.0, 3.0) == 4)
}

test "zeta and polygamma below zero, and no slopes where there are no values" {
    let x = f64([-0.5, -1.5, -30.5])
    let y = f64([8.934802200544679, 9.379246644989124, 9.837349132820684])
    assert(allclose(polygamma(1, x), y, rtol=1e-12) and allclose(zeta(2.0, x), y, rtol=1e-12))
    let slope = f64([-0.8287966442343199, -0.2362040516417274, -0.0010403121873537825])
    assert(allclose(vmap(grad(fn(x) = polygamma(1, x)))(x), slope, rtol=1e-8))
    assert(allclose(polygamma(2, x), slope, rtol=1e-8))
    assert(
        allclose(zeta(3.0, -0.5), 0.41439834) and isnan(zeta(2.5, -0.5)) and zeta(2.0, -1.0) == inf,
    )
    let nothing = (
        grad(gammainc, argnums=(0, 1))(2.0, -1.0),
        grad(gammaincc, argnums=(0, 1))(2.0, nan),
        grad(betainc, argnums=(0, 1, 2))(2.0, 3.0, 2.0),
        grad(ndtri)(2.0),
        grad(ndtri)(nan),
        grad(zeta, argnums=(0, 1))(0.5, 2.0),
        grad(fn(x) = polygamma(1, x))(nan),
    )
    for v in tree_leaves(nothing) { assert(isnan(v)) }
    assert(isnan(polygamma(1.5, 2.0)) and grad(gammainc, argnums=1)(2.0, 0.0) == 0)
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

test "beta functions and rising factorials keep their digits at large arguments" {
    let (a, b) = (f64([1e8, 1e8, 0.75, 2.5e6, 12.0, 0.3]), f64([1e8, 0.5, 3e7, 9.5, 10.0, 6.0]))
    let y = f64([
        -138629444.05681732, -8.637975427801482, -12.709250000163527, -128.26279498264842,
        -15.076003572521552, 0.5759468479753596,
    ])
    assert(allclose(betaln(a, b), y, rtol=5e-15, atol=0) and all(betaln(a, b) == betaln(b, a)))
    assert(all(betaln(f32(a), f32(b))[:2] == f32(y)[:2]))
    let slope = f64([
        -0.6931471830599453, -5.0000000125e-09, -18.302568827746235, -3.799993540015504e-06,
        -0.6254813598853847, -5.261614399107961,
    ])
    assert(allclose(vmap(grad(betaln))(a, b), slope, rtol=1e-13, atol=0))
    assert(
        betaln(0.0, 20.0) == inf and
        isnan(betaln(nan, 20.0)) and
        betaln(f16(3), f16(20)).dtype == f16,
    )
    assert(allclose(betaln(-1.5, 2.0), 0.2876820724517809))
    let raised = poch(f64([1e8, 5e6, 3e7]), [2.0, -1.5, 0.25])
    assert(
        allclose(
            raised,
            f64([1.00000001e+16, 8.944275264102202e-11, 74.00828021795265]),
            rtol=1e-14,
            atol=0,
        ),
    )
    assert(
        allclose(poch([3.0, -1.5, 0.0, -2.0], [2.0, 2.0, 1.0, 1.0]), [12.0, 0.75, 0.0, -2.0]) and
        grad(fn(z) = poch(z, 3.0))(-2.0) == 2,
    )
}

test "factorials and binomials without rounding" {
    mut exact = f64(1)
    for n in 1..23 {
        exact = exact * n
        assert(factorial(f64(n)) == exact and gamma(f32(n + 1)) == f32(exact))
    }
    assert(factorial(5.0) == 120 and factorial(13) == 6227020800.0 and comb(30, 15) == 155117520)
    assert(comb(f64(56), f64(28)) == 7648690600760440.0 and comb(5, 6) == 0 and comb(5, -1) == 0)
    assert(factorial(-1.0) == 0 and isnan(gamma(-3.0)) and gamma(-0.0) == -inf)
    assert(allclose(grad(comb)(f64(6), f64(2)), 5.5) and grad(factorial)(-2.5) == 0)
}

test "divergences where a number is 0, infinite or NaN" {
    assert(isnan(rel_entr(1.0, nan)) and isnan(kl_div(nan, -1.0)) and kl_div(-1.0, inf) == inf)
    assert(kl_div(inf, 0.0) == inf and kl_div(0.0, 2.0) == 2)
    assert(all(zeta(inf, [0.5, 1.0, 2.0]) == [inf, 1.0, 0.0]) and zeta(2.0, inf) == 0)
    assert(allclose(zeta(f64(101), -1.5), 2.5 ** -101, rtol=1e-6, atol=0))
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
