# Probability distributions: densities, distribution functions and quantiles, elementwise with broadcasting, as in
# jax.scipy.stats. `loc` is the location parameter and `scale` the scale parameter. In the comments, z is
# (x - loc) / scale. Results are NaN for scale <= 0, for shape parameters outside of their range, for probabilities
# outside of [0, 1] and for NaN. Results have the common floating dtype of the arguments.
# After the distributions: descriptive statistics. tests/oracle compares with JAX and SciPy.

let _half_log_2pi = 0.9189385332046727

# ---- the functions of any distribution

# A distribution is a record of functions of the standardized z and of the shape parameters s:
#   support(*s)        (lo, hi), the interval outside of which the density is 0
#   valid(*s)          where the parameters are in their range
#   logpdf(z, *s)      the logarithm of the density within the support
#   cdf(z, *s)         the distribution function within the support
#   sf, isf            1 - cdf and its inverse. If they are missing, the distribution is symmetric about 0.
#   ppf                the inverse of cdf
#   logcdf, logsf      optional, for distributions whose tails underflow
#   wide               true if it is computed in f64, because terms of logpdf cancel; f16 and bf16 use f32 otherwise
# A distribution of counts has logpmf instead of logpdf. Its other functions get counts within the support.

## (values, dtype): the values in the dtype of the computation, and the dtype to which its result is rounded. It is
## none if the result needs no rounding.
fn _floats(values, wide) {
    let like = _inexact(zeros((), dtype=result_type(*values)))
    if not wide and not _is_half(like) { return (values, none) }
    let dtype = if wide { f64 } else { f32 }
    ((array(v).astype(dtype) for v in values), like.dtype)
}
## f(z, scale, *shape) at z = (x - loc) / scale, NaN for arguments out of their range.
fn _standard(f, d, x, shape, loc, scale) {
    let ((x, loc, scale, *s), dtype) = _floats((x, loc, scale) + shape, d.wide)
    let z = (x - loc) / scale
    let y = where(scale > 0 and d.valid(*s) and not isnan(z), f(z, scale, *s), nan)
    if dtype == none { y } else { y.astype(dtype) }
}
fn _log_density(d, z, scale, *s) {
    let (lo, hi) = d.support(*s)
    where(z >= lo and z <= hi and abs(z) < inf, d.logpdf(z, *s) - log(scale), -inf)
}
fn _pdf(d, x, shape, loc, scale) =
    _standard(fn(z, scale, *s) = exp(_log_density(d, z, scale, *s)), d, x, shape, loc, scale)
fn _logpdf(d, x, shape, loc, scale) =
    _standard(fn(z, scale, *s) = _log_density(d, z, scale, *s), d, x, shape, loc, scale)
## y within the support, `below` and `above` outside of it and at infinities.
fn _within(d, z, s, below, y, above) {
    let (lo, hi) = d.support(*s)
    where(z < lo or z == -inf, below, where(z > hi or z == inf, above, y))
}
fn _lower(d, z, s) = _within(d, z, s, 0, d.cdf(z, *s), 1)
fn _upper(d, z, s) = _within(d, z, s, 1, if "sf" in d { d.sf(z, *s) } else { d.cdf(-z, *s) }, 0)
fn _log_lower(d, z, s) = if "logcdf" in d {
    _within(d, z, s, -inf, d.logcdf(z, *s), 0)
} else {
    _log_of(_lower(d, z, s), _upper(d, z, s))
}
fn _log_upper(d, z, s) = if "logsf" in d {
    _within(d, z, s, 0, d.logsf(z, *s), -inf)
} else if "logcdf" in d and not ("sf" in d) {
    _log_lower(d, -z, s)
} else {
    _log_of(_upper(d, z, s), _lower(d, z, s))
}
## log(p) for p + q = 1.
fn _log_of(p, q) = where(p < 0.5, log(p), log1p(-q))
fn _cdf(d, x, shape, loc, scale) =
    _standard(fn(z, scale, *s) = _lower(d, z, s), d, x, shape, loc, scale)
fn _sf(d, x, shape, loc, scale) =
    _standard(fn(z, scale, *s) = _upper(d, z, s), d, x, shape, loc, scale)
fn _logcdf(d, x, shape, loc, scale) =
    _standard(fn(z, scale, *s) = _log_lower(d, z, s), d, x, shape, loc, scale)
fn _logsf(d, x, shape, loc, scale) =
    _standard(fn(z, scale, *s) = _log_upper(d, z, s), d, x, shape, loc, scale)
## loc + scale f(p, *shape) for p in [0, 1], else NaN.
fn _quantile(f, d, p, shape, loc, scale) {
    let ((p, loc, scale, *s), dtype) = _floats((p, loc, scale) + shape, d.wide)
    let valid = scale > 0 and d.valid(*s) and p >= 0 and p <= 1
    let y = where(valid, loc + scale * f(p, *s), nan)
    if dtype == none { y } else { y.astype(dtype) }
}
fn _ppf(d, p, shape, loc, scale) = _quantile(d.ppf, d, p, shape, loc, scale)
fn _isf(d, q, shape, loc, scale) =
    _quantile(if "isf" in d { d.isf } else { fn(q, *s) = -d.ppf(q, *s) }, d, q, shape, loc, scale)
## The distribution of -z.
fn _mirrored(d) = {
    support: fn(*s) = (-d.support(*s)[1], -d.support(*s)[0]),
    valid: d.valid,
    logpdf: fn(z, *s) = d.logpdf(-z, *s),
    cdf: fn(z, *s) = d.sf(-z, *s),
    sf: fn(z, *s) = d.cdf(-z, *s),
    logcdf: fn(z, *s) = d.logsf(-z, *s),
    logsf: fn(z, *s) = d.logcdf(-z, *s),
    ppf: fn(p, *s) = -d.isf(p, *s),
    isf: fn(q, *s) = -d.ppf(q, *s),
    wide: d.wide,
}
## f(z, *s), whose derivative by z is exp(logpdf(z, *s)). The other derivatives are those of f.
fn _with_slope(f, logpdf) = custom_jvp(
    f,
    fn(values, slopes) {
        let (z, *s) = values
        let (dz, *ds) = slopes
        let (_, dy) = jvp(fn(*s) = f(stop_gradient(z), *s), s, ds)
        (_with_slope(f, logpdf)(z, *s), dy + exp(logpdf(z, *s)) * dz)
    },
)
## f(p, *s), the inverse of cdf(z, *s), whose derivative by z is exp(logpdf(z, *s)).
fn _inverse_of(cdf, logpdf, f) = custom_jvp(
    f,
    fn(values, slopes) {
        let (p, *s) = values
        let (dp, *ds) = slopes
        let z = _inverse_of(cdf, logpdf, f)(p, *s)
        let (_, dy) = jvp(fn(*s) = cdf(stop_gradient(z), *s), s, ds)
        (z, (dp - dy) * exp(-logpdf(z, *s)))
    },
)

let _anywhere = fn(*s) = (-inf, inf)
let _above_0 = fn(*s) = (0, inf)
let _always = fn() = true
let _positive_shape = fn(a) = a > 0

# ---- normal, uniform, exponential

let _norm = {
    support: _anywhere,
    valid: _always,
    logpdf: fn(z) = -0.5 * z ** 2 - _half_log_2pi,
    cdf: fn(z) = 0.5 * erfc(-z * 0.7071067811865476),
    logcdf: fn(z) = special.log_ndtr(z),
    ppf: fn(p) = special.ndtri(p),
    wide: false,
}
## stats.norm_pdf(x, loc=0, scale=1): the normal density. `loc` is the mean and `scale` the standard deviation.
fn norm_pdf(x, loc=0.0, scale=1.0) = _pdf(_norm, x, (), loc, scale)
## stats.norm_logpdf(x, loc=0, scale=1): the logarithm of norm_pdf.
fn norm_logpdf(x, loc=0.0, scale=1.0) = _logpdf(_norm, x, (), loc, scale)
## stats.norm_cdf(x, loc=0, scale=1): the normal distribution function.
fn norm_cdf(x, loc=0.0, scale=1.0) = _cdf(_norm, x, (), loc, scale)
## stats.norm_logcdf(x, loc=0, scale=1): the logarithm of norm_cdf, accurate also where norm_cdf is near 0 or 1.
fn norm_logcdf(x, loc=0.0, scale=1.0) = _logcdf(_norm, x, (), loc, scale)
## stats.norm_sf(x, loc=0, scale=1): the survival function 1 - norm_cdf, accurate also where it is small.
fn norm_sf(x, loc=0.0, scale=1.0) = _sf(_norm, x, (), loc, scale)
## stats.norm_logsf(x, loc=0, scale=1): the logarithm of norm_sf, accurate also where norm_sf is near 0 or 1.
fn norm_logsf(x, loc=0.0, scale=1.0) = _logsf(_norm, x, (), loc, scale)
## stats.norm_ppf(p, loc=0, scale=1): the quantile of probability p, the inverse of norm_cdf.
fn norm_ppf(p, loc=0.0, scale=1.0) = _ppf(_norm, p, (), loc, scale)
## stats.norm_isf(q, loc=0, scale=1): the value that is exceeded with probability q, the inverse of norm_sf.
fn norm_isf(q, loc=0.0, scale=1.0) = _isf(_norm, q, (), loc, scale)

let _uniform = {
    support: fn() = (0, 1),
    valid: _always,
    logpdf: fn(z) = 0 * z,
    cdf: fn(z) = z,
    sf: fn(z) = 1 - z,
    ppf: fn(p) = p,
    isf: fn(q) = 1 - q,
    wide: false,
}
## stats.uniform_pdf(x, loc=0, scale=1): the uniform density. It is 1 / scale on [loc, loc + scale].
fn uniform_pdf(x, loc=0.0, scale=1.0) = _pdf(_uniform, x, (), loc, scale)
## stats.uniform_logpdf(x, loc=0, scale=1): the logarithm of uniform_pdf, -inf where the density is 0.
fn uniform_logpdf(x, loc=0.0, scale=1.0) = _logpdf(_uniform, x, (), loc, scale)
## stats.uniform_cdf(x, loc=0, scale=1): the uniform distribution function.
fn uniform_cdf(x, loc=0.0, scale=1.0) = _cdf(_uniform, x, (), loc, scale)
## stats.uniform_logcdf(x, loc=0, scale=1): the logarithm of uniform_cdf, accurate also where uniform_cdf is near 0 or
## 1.
fn uniform_logcdf(x, loc=0.0, scale=1.0) = _logcdf(_uniform, x, (), loc, scale)
## stats.uniform_sf(x, loc=0, scale=1): the survival function 1 - uniform_cdf, accurate also where it is small.
fn uniform_sf(x, loc=0.0, scale=1.0) = _sf(_uniform, x, (), loc, scale)
## stats.uniform_logsf(x, loc=0, scale=1): the logarithm of uniform_sf, accurate also where uniform_sf is near 0 or 1.
fn uniform_logsf(x, loc=0.0, scale=1.0) = _logsf(_uniform, x, (), loc, scale)
## stats.uniform_ppf(p, loc=0, scale=1): the quantile of probability p, the inverse of uniform_cdf.
fn uniform_ppf(p, loc=0.0, scale=1.0) = _ppf(_uniform, p, (), loc, scale)
## stats.uniform_isf(q, loc=0, scale=1): the value that is exceeded with probability q, the inverse of uniform_sf.
fn uniform_isf(q, loc=0.0, scale=1.0) = _isf(_uniform, q, (), loc, scale)

let _expon = {
    support: _above_0,
    valid: _always,
    logpdf: fn(z) = -z,
    cdf: fn(z) = -expm1(-z),
    sf: fn(z) = exp(-z),
    logsf: fn(z) = -z,
    ppf: fn(p) = -log1p(-p),
    isf: fn(q) = -log(q),
    wide: false,
}
## stats.expon_pdf(x, loc=0, scale=1): the exponential density. It is exp(-z) / scale for z >= 0.
fn expon_pdf(x, loc=0.0, scale=1.0) = _pdf(_expon, x, (), loc, scale)
## stats.expon_logpdf(x, loc=0, scale=1): the logarithm of expon_pdf, -inf where the density is 0.
fn expon_logpdf(x, loc=0.0, scale=1.0) = _logpdf(_expon, x, (), loc, scale)
## stats.expon_cdf(x, loc=0, scale=1): the exponential distribution function.
fn expon_cdf(x, loc=0.0, scale=1.0) = _cdf(_expon, x, (), loc, scale)
## stats.expon_logcdf(x, loc=0, scale=1): the logarithm of expon_cdf, accurate also where expon_cdf is near 0 or 1.
fn expon_logcdf(x, loc=0.0, scale=1.0) = _logcdf(_expon, x, (), loc, scale)
## stats.expon_sf(x, loc=0, scale=1): the survival function 1 - expon_cdf, accurate also where it is small.
fn expon_sf(x, loc=0.0, scale=1.0) = _sf(_expon, x, (), loc, scale)
## stats.expon_logsf(x, loc=0, scale=1): the logarithm of expon_sf, accurate also where expon_sf is near 0 or 1.
fn expon_logsf(x, loc=0.0, scale=1.0) = _logsf(_expon, x, (), loc, scale)
## stats.expon_ppf(p, loc=0, scale=1): the quantile of probability p, the inverse of expon_cdf.
fn expon_ppf(p, loc=0.0, scale=1.0) = _ppf(_expon, p, (), loc, scale)
## stats.expon_isf(q, loc=0, scale=1): the value that is exceeded with probability q, the inverse of expon_sf.
fn expon_isf(q, loc=0.0, scale=1.0) = _isf(_expon, q, (), loc, scale)

# ---- Laplace, logistic, Cauchy, Gumbel, Pareto

let _laplace = {
    support: _anywhere,
    valid: _always,
    logpdf: fn(z) = -abs(z) - 0.6931471805599453,
    cdf: fn(z) {
        let tail = 0.5 * exp(-abs(z))
        where(z < 0, tail, 1 - tail)
    },
    logcdf: fn(z) = where(z < 0, z - 0.6931471805599453, log1p(-0.5 * exp(-abs(z)))),
    ppf: fn(p) = where(p < 0.5, log(2 * p), -log(2 * (1 - p))),
    wide: false,
}
## stats.laplace_pdf(x, loc=0, scale=1): the Laplace density. It is exp(-|z|) / (2 scale).
fn laplace_pdf(x, loc=0.0, scale=1.0) = _pdf(_laplace, x, (), loc, scale)
## stats.laplace_logpdf(x, loc=0, scale=1): the logarithm of laplace_pdf.
fn laplace_logpdf(x, loc=0.0, scale=1.0) = _logpdf(_laplace, x, (), loc, scale)
## stats.laplace_cdf(x, loc=0, scale=1): the Laplace distribution function.
fn laplace_cdf(x, loc=0.0, scale=1.0) = _cdf(_laplace, x, (), loc, scale)
## stats.laplace_logcdf(x, loc=0, scale=1): the logarithm of laplace_cdf, accurate also where laplace_cdf is near 0 or
## 1.
fn laplace_logcdf(x, loc=0.0, scale=1.0) = _logcdf(_laplace, x, (), loc, scale)
## stats.laplace_sf(x, loc=0, scale=1): the survival function 1 - laplace_cdf, accurate also where it is small.
fn laplace_sf(x, loc=0.0, scale=1.0) = _sf(_laplace, x, (), loc, scale)
## stats.laplace_logsf(x, loc=0, scale=1): the logarithm of laplace_sf, accurate also where laplace_sf is near 0 or 1.
fn laplace_logsf(x, loc=0.0, scale=1.0) = _logsf(_laplace, x, (), loc, scale)
## stats.laplace_ppf(p, loc=0, scale=1): the quantile of probability p, the inverse of laplace_cdf.
fn laplace_ppf(p, loc=0.0, scale=1.0) = _ppf(_laplace, p, (), loc, scale)
## stats.laplace_isf(q, loc=0, scale=1): the value that is exceeded with probability q, the inverse of laplace_sf.
fn laplace_isf(q, loc=0.0, scale=1.0) = _isf(_laplace, q, (), loc, scale)

let _logistic = {
    support: _anywhere,
    valid: _always,
    logpdf: fn(z) = -z - 2 * logaddexp(0, -z),
    cdf: fn(z) = logistic(z),
    logcdf: fn(z) = -logaddexp(0, -z),
    ppf: fn(p) = special.logit(p),
    wide: false,
}
## stats.logistic_pdf(x, loc=0, scale=1): the logistic density. It is exp(-z) / (scale (1 + exp(-z))^2).
fn logistic_pdf(x, loc=0.0, scale=1.0) = _pdf(_logistic, x, (), loc, scale)
## stats.logistic_logpdf(x, loc=0, scale=1): the logarithm of logistic_pdf.
fn logistic_logpdf(x, loc=0.0, scale=1.0) = _logpdf(_logistic, x, (), loc, scale)
## stats.logistic_cdf(x, loc=0, scale=1): the logistic distribution function.
fn logistic_cdf(x, loc=0.0, scale=1.0) = _cdf(_logistic, x, (), loc, scale)
## stats.logistic_logcdf(x, loc=0, scale=1): the logarithm of logistic_cdf, accurate also where logistic_cdf is near 0
## or 1.
fn logistic_logcdf(x, loc=0.0, scale=1.0) = _logcdf(_logistic, x, (), loc, scale)
## stats.logistic_sf(x, loc=0, scale=1): the survival function 1 - logistic_cdf, accurate also where it is small.
fn logistic_sf(x, loc=0.0, scale=1.0) = _sf(_logistic, x, (), loc, scale)
## stats.logistic_logsf(x, loc=0, scale=1): the logarithm of logistic_sf, accurate also where logistic_sf is near 0 or
## 1.
fn logistic_logsf(x, loc=0.0, scale=1.0) = _logsf(_logistic, x, (), loc, scale)
## stats.logistic_ppf(p, loc=0, scale=1): the quantile of probability p, the inverse of logistic_cdf.
fn logistic_ppf(p, loc=0.0, scale=1.0) = _ppf(_logistic, p, (), loc, scale)
## stats.logistic_isf(q, loc=0, scale=1): the value that is exceeded with probability q, the inverse of logistic_sf.
fn logistic_isf(q, loc=0.0, scale=1.0) = _isf(_logistic, q, (), loc, scale)

let _cauchy = {
    support: _anywhere,
    valid: _always,
    logpdf: fn(z) = -1.1447298858494002 - 2 * log(hypot(1, z)),
    cdf: fn(z) = arctan2(1, -z) / pi,
    ppf: fn(p) {
        let tail = where(p < 0.25, p, where(p > 0.75, 1 - p, 0.25))
        let far = 1 / tan(pi * tail)
        where(p < 0.25, -far, where(p > 0.75, far, tan(pi * (p - 0.5))))
    },
    wide: false,
}
## stats.cauchy_pdf(x, loc=0, scale=1): the Cauchy density. It is 1 / (pi scale (1 + z^2)).
fn cauchy_pdf(x, loc=0.0, scale=1.0) = _pdf(_cauchy, x, (), loc, scale)
## stats.cauchy_logpdf(x, loc=0, scale=1): the logarithm of cauchy_pdf.
fn cauchy_logpdf(x, loc=0.0, scale=1.0) = _logpdf(_cauchy, x, (), loc, scale)
## stats.cauchy_cdf(x, loc=0, scale=1): the Cauchy distribution function.
fn cauchy_cdf(x, loc=0.0, scale=1.0) = _cdf(_cauchy, x, (), loc, scale)
## stats.cauchy_logcdf(x, loc=0, scale=1): the logarithm of cauchy_cdf, accurate also where cauchy_cdf is near 0 or 1.
fn cauchy_logcdf(x, loc=0.0, scale=1.0) = _logcdf(_cauchy, x, (), loc, scale)
## stats.cauchy_sf(x, loc=0, scale=1): the survival function 1 - cauchy_cdf, accurate also where it is small.
fn cauchy_sf(x, loc=0.0, scale=1.0) = _sf(_cauchy, x, (), loc, scale)
## stats.cauchy_logsf(x, loc=0, scale=1): the logarithm of cauchy_sf, accurate also where cauchy_sf is near 0 or 1.
fn cauchy_logsf(x, loc=0.0, scale=1.0) = _logsf(_cauchy, x, (), loc, scale)
## stats.cauchy_ppf(p, loc=0, scale=1): the quantile of probability p, the inverse of cauchy_cdf.
fn cauchy_ppf(p, loc=0.0, scale=1.0) = _ppf(_cauchy, p, (), loc, scale)
## stats.cauchy_isf(q, loc=0, scale=1): the value that is exceeded with probability q, the inverse of cauchy_sf.
fn cauchy_isf(q, loc=0.0, scale=1.0) = _isf(_cauchy, q, (), loc, scale)

# ---- |z| of a normal or Cauchy z

let _halfnorm = {
    support: _above_0,
    valid: _always,
    logpdf: fn(z) = -0.5 * z ** 2 - 0.2257913526447274,
    cdf: fn(z) = erf(z * 0.7071067811865476),
    sf: fn(z) = erfc(z * 0.7071067811865476),
    logsf: fn(z) = where(
        z < 1,
        log1p(-erf(minimum(z, 1) * 0.7071067811865476)),
        0.6931471805599453 + special.log_ndtr(-z),
    ),
    ppf: fn(p) = 1.4142135623730951 * special.erfinv(p),
    isf: fn(q) = -special.ndtri(q / 2),
    wide: false,
}
## stats.halfnorm_pdf(x, loc=0, scale=1): the half-normal density. It is sqrt(2 / pi) exp(-z^2 / 2) / scale for z >= 0.
fn halfnorm_pdf(x, loc=0.0, scale=1.0) = _pdf(_halfnorm, x, (), loc, scale)
## stats.halfnorm_logpdf(x, loc=0, scale=1): the logarithm of halfnorm_pdf, -inf where the density is 0.
fn halfnorm_logpdf(x, loc=0.0, scale=1.0) = _logpdf(_halfnorm, x, (), loc, scale)
## stats.halfnorm_cdf(x, loc=0, scale=1): the half-normal distribution function.
fn halfnorm_cdf(x, loc=0.0, scale=1.0) = _cdf(_halfnorm, x, (), loc, scale)
## stats.halfnorm_logcdf(x, loc=0, scale=1): the logarithm of halfnorm_cdf, accurate also where halfnorm_cdf is near 0
## or 1.
fn halfnorm_logcdf(x, loc=0.0, scale=1.0) = _logcdf(_halfnorm, x, (), loc, scale)
## stats.halfnorm_sf(x, loc=0, scale=1): the survival function 1 - halfnorm_cdf, accurate also where it is small.
fn halfnorm_sf(x, loc=0.0, scale=1.0) = _sf(_halfnorm, x, (), loc, scale)
## stats.halfnorm_logsf(x, loc=0, scale=1): the logarithm of halfnorm_sf, accurate also where halfnorm_sf is near 0 or
## 1.
fn halfnorm_logsf(x, loc=0.0, scale=1.0) = _logsf(_halfnorm, x, (), loc, scale)
## stats.halfnorm_ppf(p, loc=0, scale=1): the quantile of probability p, the inverse of halfnorm_cdf.
fn halfnorm_ppf(p, loc=0.0, scale=1.0) = _ppf(_halfnorm, p, (), loc, scale)
## stats.halfnorm_isf(q, loc=0, scale=1): the value that is exceeded with probability q, the inverse of halfnorm_sf.
fn halfnorm_isf(q, loc=0.0, scale=1.0) = _isf(_halfnorm, q, (), loc, scale)

let _halfcauchy = {
    support: _above_0,
    valid: _always,
    logpdf: fn(z) = -0.4515827052894549 - 2 * log(hypot(1, z)),
    cdf: fn(z) = 2 / pi * arctan(z),
    sf: fn(z) = 2 / pi * arctan2(1, z),
    ppf: fn(p) =
        where(p < 0.5, tan(pi / 2 * minimum(p, 0.5)), 1 / tan(pi / 2 * minimum(1 - p, 0.5))),
    isf: fn(q) =
        where(q < 0.5, 1 / tan(pi / 2 * minimum(q, 0.5)), tan(pi / 2 * minimum(1 - q, 0.5))),
    wide: false,
}
## stats.halfcauchy_pdf(x, loc=0, scale=1): the half-Cauchy density. It is 2 / (pi scale (1 + z^2)) for z >= 0.
fn halfcauchy_pdf(x, loc=0.0, scale=1.0) = _pdf(_halfcauchy, x, (), loc, scale)
## stats.halfcauchy_logpdf(x, loc=0, scale=1): the logarithm of halfcauchy_pdf, -inf where the density is 0.
fn halfcauchy_logpdf(x, loc=0.0, scale=1.0) = _logpdf(_halfcauchy, x, (), loc, scale)
## stats.halfcauchy_cdf(x, loc=0, scale=1): the half-Cauchy distribution function.
fn halfcauchy_cdf(x, loc=0.0, scale=1.0) = _cdf(_halfcauchy, x, (), loc, scale)
## stats.halfcauchy_logcdf(x, loc=0, scale=1): the logarithm of halfcauchy_cdf, accurate also where halfcauchy_cdf is
## near 0 or 1.
fn halfcauchy_logcdf(x, loc=0.0, scale=1.0) = _logcdf(_halfcauchy, x, (), loc, scale)
## stats.halfcauchy_sf(x, loc=0, scale=1): the survival function 1 - halfcauchy_cdf, accurate also where it is small.
fn halfcauchy_sf(x, loc=0.0, scale=1.0) = _sf(_halfcauchy, x, (), loc, scale)
## stats.halfcauchy_logsf(x, loc=0, scale=1): the logarithm of halfcauchy_sf, accurate also where halfcauchy_sf is near
## 0 or 1.
fn halfcauchy_logsf(x, loc=0.0, scale=1.0) = _logsf(_halfcauchy, x, (), loc, scale)
## stats.halfcauchy_ppf(p, loc=0, scale=1): the quantile of probability p, the inverse of halfcauchy_cdf.
fn halfcauchy_ppf(p, loc=0.0, scale=1.0) = _ppf(_halfcauchy, p, (), loc, scale)
## stats.halfcauchy_isf(q, loc=0, scale=1): the value that is exceeded with probability q, the inverse of halfcauchy_sf.
fn halfcauchy_isf(q, loc=0.0, scale=1.0) = _isf(_halfcauchy, q, (), loc, scale)

let _gumbel_r = {
    support: _anywhere,
    valid: _always,
    logpdf: fn(z) = -z - exp(-z),
    cdf: fn(z) = exp(-exp(-z)),
    sf: fn(z) = -expm1(-exp(-z)),
    logcdf: fn(z) = -exp(-z),
    logsf: fn(z) {
        # log(1 - exp(-u)) for u = exp(-z), which underflows for large z
        let u = exp(-z)
        where(z < 0, log1p(-exp(-u)), log(where(u > 0, -expm1(-u) / u, 1)) - z)
    },
    ppf: fn(p) = -log(-log(p)),
    isf: fn(q) = -log(-log1p(-q)),
    wide: false,
}
## stats.gumbel_r_pdf(x, loc=0, scale=1): the right-skewed Gumbel density. It is exp(-z - exp(-z)) / scale, that of
## maxima.
fn gumbel_r_pdf(x, loc=0.0, scale=1.0) = _pdf(_gumbel_r, x, (), loc, scale)
## stats.gumbel_r_logpdf(x, loc=0, scale=1): the logarithm of gumbel_r_pdf.
fn gumbel_r_logpdf(x, loc=0.0, scale=1.0) = _logpdf(_gumbel_r, x, (), loc, scale)
## stats.gumbel_r_cdf(x, loc=0, scale=1): the right-skewed Gumbel distribution function.
fn gumbel_r_cdf(x, loc=0.0, scale=1.0) = _cdf(_gumbel_r, x, (), loc, scale)
## stats.gumbel_r_logcdf(x, loc=0, scale=1): the logarithm of gumbel_r_cdf, accurate also where gumbel_r_cdf is near 0
## or 1.
fn gumbel_r_logcdf(x, loc=0.0, scale=1.0) = _logcdf(_gumbel_r, x, (), loc, scale)
## stats.gumbel_r_sf(x, loc=0, scale=1): the survival function 1 - gumbel_r_cdf, accurate also where it is small.
fn gumbel_r_sf(x, loc=0.0, scale=1.0) = _sf(_gumbel_r, x, (), loc, scale)
## stats.gumbel_r_logsf(x, loc=0, scale=1): the logarithm of gumbel_r_sf, accurate also where gumbel_r_sf is near 0 or
## 1.
fn gumbel_r_logsf(x, loc=0.0, scale=1.0) = _logsf(_gumbel_r, x, (), loc, scale)
## stats.gumbel_r_ppf(p, loc=0, scale=1): the quantile of probability p, the inverse of gumbel_r_cdf.
fn gumbel_r_ppf(p, loc=0.0, scale=1.0) = _ppf(_gumbel_r, p, (), loc, scale)
## stats.gumbel_r_isf(q, loc=0, scale=1): the value that is exceeded with probability q, the inverse of gumbel_r_sf.
fn gumbel_r_isf(q, loc=0.0, scale=1.0) = _isf(_gumbel_r, q, (), loc, scale)
let _gumbel_l = _mirrored(_gumbel_r)
## stats.gumbel_l_pdf(x, loc=0, scale=1): the left-skewed Gumbel density. It is exp(z - exp(z)) / scale, that of
## minima.
fn gumbel_l_pdf(x, loc=0.0, scale=1.0) = _pdf(_gumbel_l, x, (), loc, scale)
## stats.gumbel_l_logpdf(x, loc=0, scale=1): the logarithm of gumbel_l_pdf.
fn gumbel_l_logpdf(x, loc=0.0, scale=1.0) = _logpdf(_gumbel_l, x, (), loc, scale)
## stats.gumbel_l_cdf(x, loc=0, scale=1): the left-skewed Gumbel distribution function.
fn gumbel_l_cdf(x, loc=0.0, scale=1.0) = _cdf(_gumbel_l, x, (), loc, scale)
## stats.gumbel_l_logcdf(x, loc=0, scale=1): the logarithm of gumbel_l_cdf, accurate also where gumbel_l_cdf is near 0
## or 1.
fn gumbel_l_logcdf(x, loc=0.0, scale=1.0) = _logcdf(_gumbel_l, x, (), loc, scale)
## stats.gumbel_l_sf(x, loc=0, scale=1): the survival function 1 - gumbel_l_cdf, accurate also where it is small.
fn gumbel_l_sf(x, loc=0.0, scale=1.0) = _sf(_gumbel_l, x, (), loc, scale)
## stats.gumbel_l_logsf(x, loc=0, scale=1): the logarithm of gumbel_l_sf, accurate also where gumbel_l_sf is near 0 or
## 1.
fn gumbel_l_logsf(x, loc=0.0, scale=1.0) = _logsf(_gumbel_l, x, (), loc, scale)
## stats.gumbel_l_ppf(p, loc=0, scale=1): the quantile of probability p, the inverse of gumbel_l_cdf.
fn gumbel_l_ppf(p, loc=0.0, scale=1.0) = _ppf(_gumbel_l, p, (), loc, scale)
## stats.gumbel_l_isf(q, loc=0, scale=1): the value that is exceeded with probability q, the inverse of gumbel_l_sf.
fn gumbel_l_isf(q, loc=0.0, scale=1.0) = _isf(_gumbel_l, q, (), loc, scale)

let _pareto = {
    support: fn(b) = (1, inf),
    valid: _positive_shape,
    logpdf: fn(z, b) = log(b) - (b + 1) * log(z),
    cdf: fn(z, b) = -expm1(-b * log(z)),
    sf: fn(z, b) = exp(-b * log(z)),
    logsf: fn(z, b) = -b * log(z),
    ppf: fn(p, b) = exp(-log1p(-p) / b),
    isf: fn(q, b) = exp(-log(q) / b),
    wide: false,
}
## stats.pareto_pdf(x, b, loc=0, scale=1): the Pareto density. It is b / (z^(b + 1) scale) for z >= 1.
fn pareto_pdf(x, b, loc=0.0, scale=1.0) = _pdf(_pareto, x, (b,), loc, scale)
## stats.pareto_logpdf(x, b, loc=0, scale=1): the logarithm of pareto_pdf, -inf where the density is 0.
fn pareto_logpdf(x, b, loc=0.0, scale=1.0) = _logpdf(_pareto, x, (b,), loc, scale)
## stats.pareto_cdf(x, b, loc=0, scale=1): the Pareto distribution function.
fn pareto_cdf(x, b, loc=0.0, scale=1.0) = _cdf(_pareto, x, (b,), loc, scale)
## stats.pareto_logcdf(x, b, loc=0, scale=1): the logarithm of pareto_cdf, accurate also where pareto_cdf is near 0 or
## 1.
fn pareto_logcdf(x, b, loc=0.0, scale=1.0) = _logcdf(_pareto, x, (b,), loc, scale)
## stats.pareto_sf(x, b, loc=0, scale=1): the survival function 1 - pareto_cdf, accurate also where it is small.
fn pareto_sf(x, b, loc=0.0, scale=1.0) = _sf(_pareto, x, (b,), loc, scale)
## stats.pareto_logsf(x, b, loc=0, scale=1): the logarithm of pareto_sf, accurate also where pareto_sf is near 0 or 1.
fn pareto_logsf(x, b, loc=0.0, scale=1.0) = _logsf(_pareto, x, (b,), loc, scale)
## stats.pareto_ppf(p, b, loc=0, scale=1): the quantile of probability p, the inverse of pareto_cdf.
fn pareto_ppf(p, b, loc=0.0, scale=1.0) = _ppf(_pareto, p, (b,), loc, scale)
## stats.pareto_isf(q, b, loc=0, scale=1): the value that is exceeded with probability q, the inverse of pareto_sf.
fn pareto_isf(q, b, loc=0.0, scale=1.0) = _isf(_pareto, q, (b,), loc, scale)

# ---- gamma, inverse gamma, beta, Student's t, generalized normal

let _gamma = {
    support: _above_0,
    valid: _positive_shape,
    logpdf: fn(z, a) = special.xlogy(a - 1, z) - z - lgamma(a),
    cdf: fn(z, a) = special.gammainc(a, z),
    sf: fn(z, a) = special.gammaincc(a, z),
    ppf: fn(p, a) = special.gammaincinv(a, p),
    isf: fn(q, a) = special.gammainccinv(a, q),
    wide: true,
}
## stats.gamma_pdf(x, a, loc=0, scale=1): the gamma density. It is z^(a - 1) exp(-z) / (gamma(a) scale) for z >= 0.
fn gamma_pdf(x, a, loc=0.0, scale=1.0) = _pdf(_gamma, x, (a,), loc, scale)
## stats.gamma_logpdf(x, a, loc=0, scale=1): the logarithm of gamma_pdf, -inf where the density is 0.
fn gamma_logpdf(x, a, loc=0.0, scale=1.0) = _logpdf(_gamma, x, (a,), loc, scale)
## stats.gamma_cdf(x, a, loc=0, scale=1): the gamma distribution function.
fn gamma_cdf(x, a, loc=0.0, scale=1.0) = _cdf(_gamma, x, (a,), loc, scale)
## stats.gamma_logcdf(x, a, loc=0, scale=1): the logarithm of gamma_cdf, accurate also where gamma_cdf is near 0 or 1.
fn gamma_logcdf(x, a, loc=0.0, scale=1.0) = _logcdf(_gamma, x, (a,), loc, scale)
## stats.gamma_sf(x, a, loc=0, scale=1): the survival function 1 - gamma_cdf, accurate also where it is small.
fn gamma_sf(x, a, loc=0.0, scale=1.0) = _sf(_gamma, x, (a,), loc, scale)
## stats.gamma_logsf(x, a, loc=0, scale=1): the logarithm of gamma_sf, accurate also where gamma_sf is near 0 or 1.
fn gamma_logsf(x, a, loc=0.0, scale=1.0) = _logsf(_gamma, x, (a,), loc, scale)
## stats.gamma_ppf(p, a, loc=0, scale=1): the quantile of probability p, the inverse of gamma_cdf.
fn gamma_ppf(p, a, loc=0.0, scale=1.0) = _ppf(_gamma, p, (a,), loc, scale)
## stats.gamma_isf(q, a, loc=0, scale=1): the value that is exceeded with probability q, the inverse of gamma_sf.
fn gamma_isf(q, a, loc=0.0, scale=1.0) = _isf(_gamma, q, (a,), loc, scale)
let _invgamma = {
    support: _above_0,
    valid: _positive_shape,
    logpdf: fn(z, a) {
        let inverse = 1 / where(z > 0, z, 1)
        where(z > 0, (a + 1) * log(inverse) - inverse - lgamma(a), -inf)
    },
    cdf: fn(z, a) = special.gammaincc(a, 1 / z),
    sf: fn(z, a) = special.gammainc(a, 1 / z),
    ppf: fn(p, a) = 1 / special.gammainccinv(a, p),
    isf: fn(q, a) = 1 / special.gammaincinv(a, q),
    wide: true,
}
## stats.invgamma_pdf(x, a, loc=0, scale=1): the inverse gamma density. It is exp(-1 / z) / (z^(a + 1) gamma(a) scale)
## for z > 0.
fn invgamma_pdf(x, a, loc=0.0, scale=1.0) = _pdf(_invgamma, x, (a,), loc, scale)
## stats.invgamma_logpdf(x, a, loc=0, scale=1): the logarithm of invgamma_pdf, -inf where the density is 0.
fn invgamma_logpdf(x, a, loc=0.0, scale=1.0) = _logpdf(_invgamma, x, (a,), loc, scale)
## stats.invgamma_cdf(x, a, loc=0, scale=1): the inverse gamma distribution function.
fn invgamma_cdf(x, a, loc=0.0, scale=1.0) = _cdf(_invgamma, x, (a,), loc, scale)
## stats.invgamma_logcdf(x, a, loc=0, scale=1): the logarithm of invgamma_cdf, accurate also where invgamma_cdf is near
## 0 or 1.
fn invgamma_logcdf(x, a, loc=0.0, scale=1.0) = _logcdf(_invgamma, x, (a,), loc, scale)
## stats.invgamma_sf(x, a, loc=0, scale=1): the survival function 1 - invgamma_cdf, accurate also where it is small.
fn invgamma_sf(x, a, loc=0.0, scale=1.0) = _sf(_invgamma, x, (a,), loc, scale)
## stats.invgamma_logsf(x, a, loc=0, scale=1): the logarithm of invgamma_sf, accurate also where invgamma_sf is near 0
## or 1.
fn invgamma_logsf(x, a, loc=0.0, scale=1.0) = _logsf(_invgamma, x, (a,), loc, scale)
## stats.invgamma_ppf(p, a, loc=0, scale=1): the quantile of probability p, the inverse of invgamma_cdf.
fn invgamma_ppf(p, a, loc=0.0, scale=1.0) = _ppf(_invgamma, p, (a,), loc, scale)
## stats.invgamma_isf(q, a, loc=0, scale=1): the value that is exceeded with probability q, the inverse of invgamma_sf.
fn invgamma_isf(q, a, loc=0.0, scale=1.0) = _isf(_invgamma, q, (a,), loc, scale)

## stats.chi2_pdf(x, df, loc=0, scale=1): the chi-square density with `df` degrees of freedom, that of the sum of df
## squared standard normal numbers. It is the gamma density with a = df / 2 and twice the scale.
fn chi2_pdf(x, df, loc=0.0, scale=1.0) = gamma_pdf(x, df / 2, loc, 2 * scale)
## stats.chi2_logpdf(x, df, loc=0, scale=1): the logarithm of chi2_pdf, -inf where the density is 0.
fn chi2_logpdf(x, df, loc=0.0, scale=1.0) = gamma_logpdf(x, df / 2, loc, 2 * scale)
## stats.chi2_cdf(x, df, loc=0, scale=1): the chi-square distribution function.
fn chi2_cdf(x, df, loc=0.0, scale=1.0) = gamma_cdf(x, df / 2, loc, 2 * scale)
## stats.chi2_logcdf(x, df, loc=0, scale=1): the logarithm of chi2_cdf, accurate also where chi2_cdf is near 0 or 1.
fn chi2_logcdf(x, df, loc=0.0, scale=1.0) = gamma_logcdf(x, df / 2, loc, 2 * scale)
## stats.chi2_sf(x, df, loc=0, scale=1): the survival function 1 - chi2_cdf, accurate also where it is small.
fn chi2_sf(x, df, loc=0.0, scale=1.0) = gamma_sf(x, df / 2, loc, 2 * scale)
## stats.chi2_logsf(x, df, loc=0, scale=1): the logarithm of chi2_sf, accurate also where chi2_sf is near 0 or 1.
fn chi2_logsf(x, df, loc=0.0, scale=1.0) = gamma_logsf(x, df / 2, loc, 2 * scale)
## stats.chi2_ppf(p, df, loc=0, scale=1): the quantile of probability p, the inverse of chi2_cdf.
fn chi2_ppf(p, df, loc=0.0, scale=1.0) = gamma_ppf(p, df / 2, loc, 2 * scale)
## stats.chi2_isf(q, df, loc=0, scale=1): the value that is exceeded with probability q, the inverse of chi2_sf.
fn chi2_isf(q, df, loc=0.0, scale=1.0) = gamma_isf(q, df / 2, loc, 2 * scale)

let _beta = {
    support: fn(a, b) = (0, 1),
    valid: fn(a, b) = a > 0 and b > 0,
    logpdf: fn(z, a, b) =
        special.xlogy(a - 1, z) + special.xlog1py(b - 1, -z) - special.betaln(a, b),
    cdf: fn(z, a, b) = special.betainc(a, b, z),
    sf: fn(z, a, b) = special._incomplete_beta(b, a, 1 - z, z),
    ppf: fn(p, a, b) = special.betaincinv(a, b, p),
    isf: fn(q, a, b) = special.betainccinv(a, b, q),
    wide: true,
}
## stats.beta_pdf(x, a, b, loc=0, scale=1): the beta density. It is z^(a - 1) (1 - z)^(b - 1) / (beta(a, b) scale) for
## 0 <= z <= 1.
fn beta_pdf(x, a, b, loc=0.0, scale=1.0) = _pdf(_beta, x, (a, b), loc, scale)
## stats.beta_logpdf(x, a, b, loc=0, scale=1): the logarithm of beta_pdf, -inf where the density is 0.
fn beta_logpdf(x, a, b, loc=0.0, scale=1.0) = _logpdf(_beta, x, (a, b), loc, scale)
## stats.beta_cdf(x, a, b, loc=0, scale=1): the beta distribution function.
fn beta_cdf(x, a, b, loc=0.0, scale=1.0) = _cdf(_beta, x, (a, b), loc, scale)
## stats.beta_logcdf(x, a, b, loc=0, scale=1): the logarithm of beta_cdf, accurate also where beta_cdf is near 0 or 1.
fn beta_logcdf(x, a, b, loc=0.0, scale=1.0) = _logcdf(_beta, x, (a, b), loc, scale)
## stats.beta_sf(x, a, b, loc=0, scale=1): the survival function 1 - beta_cdf, accurate also where it is small.
fn beta_sf(x, a, b, loc=0.0, scale=1.0) = _sf(_beta, x, (a, b), loc, scale)
## stats.beta_logsf(x, a, b, loc=0, scale=1): the logarithm of beta_sf, accurate also where beta_sf is near 0 or 1.
fn beta_logsf(x, a, b, loc=0.0, scale=1.0) = _logsf(_beta, x, (a, b), loc, scale)
## stats.beta_ppf(p, a, b, loc=0, scale=1): the quantile of probability p, the inverse of beta_cdf.
fn beta_ppf(p, a, b, loc=0.0, scale=1.0) = _ppf(_beta, p, (a, b), loc, scale)
## stats.beta_isf(q, a, b, loc=0, scale=1): the value that is exceeded with probability q, the inverse of beta_sf.
fn beta_isf(q, a, b, loc=0.0, scale=1.0) = _isf(_beta, q, (a, b), loc, scale)

let _log_t =
    fn(z, df) = -0.5 * log(df) - special.betaln(0.5, df / 2) - (df + 1) / 2 * log1p(z ** 2 / df)
let _t_cdf = _with_slope(
    fn(z, df) {
        let y = z ** 2
        let left = 0.5 * special._incomplete_beta(df / 2, 0.5 + 0 * y, df / (df + y), y / (df + y))
        where(z > 0, 1 - left, where(z == 0, 0.5, left))
    },
    _log_t,
)
let _t = {
    support: _anywhere,
    valid: _positive_shape,
    logpdf: _log_t,
    cdf: _t_cdf,
    ppf: _inverse_of(_t_cdf, _log_t, fn(p, df) {
        let tail = minimum(p, 1 - p)
        let y = special.betaincinv(0.5, df / 2, 1 - 2 * tail)
        let x = special.betaincinv(df / 2, 0.5, 2 * tail)
        let size = sqrt(df * where(tail > 0.25, y / (1 - y), (1 - x) / x))
        where(p < 0.5, -size, where(p == 0.5, 0, size))
    }),
    wide: true,
}
## stats.t_pdf(x, df, loc=0, scale=1): the Student t density. `df` is the number of degrees of freedom.
fn t_pdf(x, df, loc=0.0, scale=1.0) = _pdf(_t, x, (df,), loc, scale)
## stats.t_logpdf(x, df, loc=0, scale=1): the logarithm of t_pdf.
fn t_logpdf(x, df, loc=0.0, scale=1.0) = _logpdf(_t, x, (df,), loc, scale)
## stats.t_cdf(x, df, loc=0, scale=1): the Student t distribution function.
fn t_cdf(x, df, loc=0.0, scale=1.0) = _cdf(_t, x, (df,), loc, scale)
## stats.t_logcdf(x, df, loc=0, scale=1): the logarithm of t_cdf, accurate also where t_cdf is near 0 or 1.
fn t_logcdf(x, df, loc=0.0, scale=1.0) = _logcdf(_t, x, (df,), loc, scale)
## stats.t_sf(x, df, loc=0, scale=1): the survival function 1 - t_cdf, accurate also where it is small.
fn t_sf(x, df, loc=0.0, scale=1.0) = _sf(_t, x, (df,), loc, scale)
## stats.t_logsf(x, df, loc=0, scale=1): the logarithm of t_sf, accurate also where t_sf is near 0 or 1.
fn t_logsf(x, df, loc=0.0, scale=1.0) = _logsf(_t, x, (df,), loc, scale)
## stats.t_ppf(p, df, loc=0, scale=1): the quantile of probability p, the inverse of t_cdf.
fn t_ppf(p, df, loc=0.0, scale=1.0) = _ppf(_t, p, (df,), loc, scale)
## stats.t_isf(q, df, loc=0, scale=1): the value that is exceeded with probability q, the inverse of t_sf.
fn t_isf(q, df, loc=0.0, scale=1.0) = _isf(_t, q, (df,), loc, scale)

let _log_gennorm = fn(z, beta) = log(0.5 * beta) - lgamma(1 / beta) - abs(z) ** beta
let _gennorm_cdf = _with_slope(
    fn(z, beta) {
        let tail = 0.5 * special.gammaincc(1 / beta, abs(z) ** beta)
        where(z > 0, 1 - tail, where(z == 0, 0.5, tail))
    },
    _log_gennorm,
)
let _gennorm = {
    support: _anywhere,
    valid: _positive_shape,
    logpdf: _log_gennorm,
    cdf: _gennorm_cdf,
    ppf: _inverse_of(_gennorm_cdf, _log_gennorm, fn(p, beta) {
        let size = special.gammainccinv(1 / beta, 2 * minimum(p, 1 - p)) ** (1 / beta)
        where(p < 0.5, -size, size)
    }),
    wide: true,
}
## stats.gennorm_pdf(x, beta, loc=0, scale=1): the generalized normal density. It is proportional to exp(-|z|^beta).
fn gennorm_pdf(x, beta, loc=0.0, scale=1.0) = _pdf(_gennorm, x, (beta,), loc, scale)
## stats.gennorm_logpdf(x, beta, loc=0, scale=1): the logarithm of gennorm_pdf.
fn gennorm_logpdf(x, beta, loc=0.0, scale=1.0) = _logpdf(_gennorm, x, (beta,), loc, scale)
## stats.gennorm_cdf(x, beta, loc=0, scale=1): the generalized normal distribution function.
fn gennorm_cdf(x, beta, loc=0.0, scale=1.0) = _cdf(_gennorm, x, (beta,), loc, scale)
## stats.gennorm_logcdf(x, beta, loc=0, scale=1): the logarithm of gennorm_cdf, accurate also where gennorm_cdf is near
## 0 or 1.
fn gennorm_logcdf(x, beta, loc=0.0, scale=1.0) = _logcdf(_gennorm, x, (beta,), loc, scale)
## stats.gennorm_sf(x, beta, loc=0, scale=1): the survival function 1 - gennorm_cdf, accurate also where it is small.
fn gennorm_sf(x, beta, loc=0.0, scale=1.0) = _sf(_gennorm, x, (beta,), loc, scale)
## stats.gennorm_logsf(x, beta, loc=0, scale=1): the logarithm of gennorm_sf, accurate also where gennorm_sf is near 0
## or 1.
fn gennorm_logsf(x, beta, loc=0.0, scale=1.0) = _logsf(_gennorm, x, (beta,), loc, scale)
## stats.gennorm_ppf(p, beta, loc=0, scale=1): the quantile of probability p, the inverse of gennorm_cdf.
fn gennorm_ppf(p, beta, loc=0.0, scale=1.0) = _ppf(_gennorm, p, (beta,), loc, scale)
## stats.gennorm_isf(q, beta, loc=0, scale=1): the value that is exceeded with probability q, the inverse of
## gennorm_sf.
fn gennorm_isf(q, beta, loc=0.0, scale=1.0) = _isf(_gennorm, q, (beta,), loc, scale)

# ---- truncated normal, distributions of angles

## log(ndtr(b) - ndtr(a)) for a <= b, without cancellation in a tail.
fn _log_normal_part(a, b) {
    let turned = a > 0
    let (lo, hi) = (where(turned, -b, a), where(turned, -a, b))
    let (below, above) = (special.log_ndtr(lo), special.log_ndtr(hi))
    where(hi <= 0, above + nn.log1mexp(above - below), log1p(-exp(below) - special.ndtr(-hi)))
}
## log(p / (p + q)) for the probabilities p of [a, b] and q of the adjacent [c, d].
fn _log_normal_ratio(a, b, c, d) {
    let whole = _log_normal_part(minimum(a, c), maximum(b, d))
    let y = _log_normal_part(a, b) - whole
    where(y < -0.6931471805599453, y, log1p(-exp(_log_normal_part(c, d) - whole)))
}
let _truncnorm = {
    support: fn(a, b) = (a, b),
    valid: fn(a, b) = a < b,
    logpdf: fn(z, a, b) = _norm.logpdf(z) - _log_normal_part(a, b),
    cdf: fn(z, a, b) = exp(_log_normal_part(a, z) - _log_normal_part(a, b)),
    sf: fn(z, a, b) = exp(_log_normal_part(z, b) - _log_normal_part(a, b)),
    logcdf: fn(z, a, b) = _log_normal_ratio(a, z, z, b),
    logsf: fn(z, a, b) = _log_normal_ratio(z, b, a, z),
    ppf: fn(p, a, b) = _truncated(p, 1 - p, a, b),
    isf: fn(q, a, b) = _truncated(1 - q, q, a, b),
    wide: true,
}
## The quantile of probability p = 1 - q: the mean of the tail probabilities of a and b, weighted by q and p.
fn _truncated(p, q, a, b) {
    let turned = a > 0
    let side = where(turned, -1, 1)
    side * special.ndtri(q * special.ndtr(side * a) + p * special.ndtr(side * b))
}
## stats.truncnorm_pdf(x, a, b, loc=0, scale=1): the truncated normal density. It is proportional to exp(-z^2 / 2) for
## a <= z <= b, where `a` and `b` are standardized bounds.
fn truncnorm_pdf(x, a, b, loc=0.0, scale=1.0) = _pdf(_truncnorm, x, (a, b), loc, scale)
## stats.truncnorm_logpdf(x, a, b, loc=0, scale=1): the logarithm of truncnorm_pdf, -inf where the density is 0.
fn truncnorm_logpdf(x, a, b, loc=0.0, scale=1.0) = _logpdf(_truncnorm, x, (a, b), loc, scale)
## stats.truncnorm_cdf(x, a, b, loc=0, scale=1): the truncated normal distribution function.
fn truncnorm_cdf(x, a, b, loc=0.0, scale=1.0) = _cdf(_truncnorm, x, (a, b), loc, scale)
## stats.truncnorm_logcdf(x, a, b, loc=0, scale=1): the logarithm of truncnorm_cdf, accurate also where truncnorm_cdf
## is near 0 or 1.
fn truncnorm_logcdf(x, a, b, loc=0.0, scale=1.0) = _logcdf(_truncnorm, x, (a, b), loc, scale)
## stats.truncnorm_sf(x, a, b, loc=0, scale=1): the survival function 1 - truncnorm_cdf, accurate also where it is
## small.
fn truncnorm_sf(x, a, b, loc=0.0, scale=1.0) = _sf(_truncnorm, x, (a, b), loc, scale)
## stats.truncnorm_logsf(x, a, b, loc=0, scale=1): the logarithm of truncnorm_sf, accurate also where truncnorm_sf is
## near 0 or 1.
fn truncnorm_logsf(x, a, b, loc=0.0, scale=1.0) = _logsf(_truncnorm, x, (a, b), loc, scale)
## stats.truncnorm_ppf(p, a, b, loc=0, scale=1): the quantile of probability p, the inverse of truncnorm_cdf.
fn truncnorm_ppf(p, a, b, loc=0.0, scale=1.0) = _ppf(_truncnorm, p, (a, b), loc, scale)
## stats.truncnorm_isf(q, a, b, loc=0, scale=1): the value that is exceeded with probability q, the inverse of
## truncnorm_sf.
fn truncnorm_isf(q, a, b, loc=0.0, scale=1.0) = _isf(_truncnorm, q, (a, b), loc, scale)

let _vonmises = {
    support: _anywhere,
    valid: fn(kappa) = kappa >= 0,
    logpdf: fn(z, kappa) = kappa * (cos(z) - 1) - log(2 * pi * special.i0e(kappa)),
    wide: false,
}
## stats.vonmises_pdf(x, kappa): the von Mises density. It is exp(kappa cos(x)) / (2 pi i0(kappa)) of an angle x in
## radians, around the mean direction 0.
fn vonmises_pdf(x, kappa) = _pdf(_vonmises, x, (kappa,), 0.0, 1.0)
## stats.vonmises_logpdf(x, kappa): the logarithm of vonmises_pdf.
fn vonmises_logpdf(x, kappa) = _logpdf(_vonmises, x, (kappa,), 0.0, 1.0)

let _wrapcauchy = {
    support: fn(c) = (0, 6.283185307179586),
    valid: fn(c) = c > 0 and c < 1,
    logpdf: fn(z, c) =
        log((1 - c) * (1 + c) / (2 * pi)) - log((1 - c) ** 2 + 4 * c * sin(z / 2) ** 2),
    cdf: fn(z, c) = _wrapped(z / 2, c),
    sf: fn(z, c) = _wrapped(pi - z / 2, c),
    ppf: fn(p, c) = 2 * _unwrapped(pi * p, c),
    isf: fn(q, c) = 2 * (pi - _unwrapped(pi * q, c)),
    wide: true,
}
## The angles in [0, pi] whose tangents are (1 + c) / (1 - c) tan(half), divided by pi, and the inverse function.
fn _wrapped(half, c) = arctan2((1 + c) * sin(half), (1 - c) * cos(half)) / pi
fn _unwrapped(angle, c) = arctan2((1 - c) * sin(angle), (1 + c) * cos(angle))
## stats.wrapcauchy_pdf(x, c): the wrapped Cauchy density. It is (1 - c^2) / (2 pi (1 + c^2 - 2 c cos(x))) of an angle
## x from 0 to 2 pi, for 0 < c < 1.
fn wrapcauchy_pdf(x, c) = _pdf(_wrapcauchy, x, (c,), 0.0, 1.0)
## stats.wrapcauchy_logpdf(x, c): the logarithm of wrapcauchy_pdf, -inf where the density is 0.
fn wrapcauchy_logpdf(x, c) = _logpdf(_wrapcauchy, x, (c,), 0.0, 1.0)
## stats.wrapcauchy_cdf(x, c): the wrapped Cauchy distribution function.
fn wrapcauchy_cdf(x, c) = _cdf(_wrapcauchy, x, (c,), 0.0, 1.0)
## stats.wrapcauchy_logcdf(x, c): the logarithm of wrapcauchy_cdf, accurate also where wrapcauchy_cdf is near 0 or 1.
fn wrapcauchy_logcdf(x, c) = _logcdf(_wrapcauchy, x, (c,), 0.0, 1.0)
## stats.wrapcauchy_sf(x, c): the survival function 1 - wrapcauchy_cdf, accurate also where it is small.
fn wrapcauchy_sf(x, c) = _sf(_wrapcauchy, x, (c,), 0.0, 1.0)
## stats.wrapcauchy_logsf(x, c): the logarithm of wrapcauchy_sf, accurate also where wrapcauchy_sf is near 0 or 1.
fn wrapcauchy_logsf(x, c) = _logsf(_wrapcauchy, x, (c,), 0.0, 1.0)
## stats.wrapcauchy_ppf(p, c): the quantile of probability p, the inverse of wrapcauchy_cdf.
fn wrapcauchy_ppf(p, c) = _ppf(_wrapcauchy, p, (c,), 0.0, 1.0)
## stats.wrapcauchy_isf(q, c): the value that is exceeded with probability q, the inverse of wrapcauchy_sf.
fn wrapcauchy_isf(q, c) = _isf(_wrapcauchy, q, (c,), 0.0, 1.0)

# ---- distributions of counts

## f(j, *shape) at j = k - loc in f64, rounded to the common floating dtype.
fn _counted_at(f, d, k, shape, loc) {
    let ((k, loc, *s), dtype) = _floats((k, loc) + shape, true)
    let j = k - loc
    where(d.valid(*s) and not isnan(j), f(j, *s), nan).astype(dtype)
}
fn _log_probability(d, j, *s) {
    let (lo, hi) = d.support(*s)
    where(j >= lo and j <= hi and j == floor(j) and j < inf, d.logpmf(j, *s), -inf)
}
fn _logpmf(d, k, shape, loc) = _counted_at(fn(j, *s) = _log_probability(d, j, *s), d, k, shape, loc)
fn _pmf(d, k, shape, loc) =
    _counted_at(fn(j, *s) = exp(_log_probability(d, j, *s)), d, k, shape, loc)
## (cdf, sf) of counts.
fn _tails(d, k, s) {
    let (lo, hi) = d.support(*s)
    let j = floor(k)
    let (below, above) = (j < lo, j >= hi)
    let i = where(below or above, lo, j)
    (
        where(below, 0, where(above, 1, d.cdf(i, *s))),
        where(below, 1, where(above, 0, d.sf(i, *s))),
    )
}
fn _count_cdf(d, k, shape, loc) = _counted_at(fn(j, *s) = _tails(d, j, s)[0], d, k, shape, loc)
fn _count_sf(d, k, shape, loc) = _counted_at(fn(j, *s) = _tails(d, j, s)[1], d, k, shape, loc)
fn _count_logcdf(d, k, shape, loc) = _counted_at(
    fn(j, *s) {
        let (p, q) = _tails(d, j, s)
        _log_of(p, q)
    },
    d,
    k,
    shape,
    loc,
)
fn _count_logsf(d, k, shape, loc) = _counted_at(
    fn(j, *s) {
        let (p, q) = _tails(d, j, s)
        _log_of(q, p)
    },
    d,
    k,
    shape,
    loc,
)

## The least count k with reached(k), by doubling steps and bisection: lo - 1 for q = 0, hi for q = 1.
fn _count_quantile(reached, d, q, shape, loc, zero, one) {
    let ((q, loc, *s), dtype) = _floats(tree_map(stop_gradient, (q, loc) + shape), true)
    let valid = d.valid(*s) and q >= 0 and q <= 1
    let inside = valid and q > 0 and q < 1
    let (lo, hi) = d.support(*s)
    let found = fn(k) = not inside or k >= hi or reached(_tails(d, k, s), q)
    mut (below, above) = (lo - 1 + 0 * q, lo + 0 * q)
    mut step = 1.0
    while not all(found(above)) and step < 1e15 {
        let here = found(above)
        below = where(here, below, above)
        above = where(here, above, minimum(above + step, hi))
        step = 2 * step
    }
    mut steps = 0
    while any(above - below > 1) and steps < 60 {
        let middle = floor((below + above) / 2)
        let here = found(middle)
        (below, above) = (where(here, below, middle), where(here, middle, above))
        steps += 1
    }
    let k = where(q == zero, lo - 1, where(q == one, hi, above))
    (where(valid, k + loc, nan)).astype(dtype)
}
fn _count_ppf(d, q, shape, loc) = _count_quantile(fn((p, _), q) = p >= q, d, q, shape, loc, 0, 1)
fn _count_isf(d, q, shape, loc) = _count_quantile(fn((_, r), q) = r <= q, d, q, shape, loc, 1, 0)

let _bernoulli = {
    support: fn(p) = (0, 1),
    valid: fn(p) = p >= 0 and p <= 1,
    logpmf: fn(k, p) = where(k == 1, log(p), log1p(-p)),
    cdf: fn(k, p) = 1 - p,
    sf: fn(k, p) = p,
}
## stats.bernoulli_pmf(k, p, loc=0): the Bernoulli probability. It is p for k = 1 and 1 - p for k = 0.
fn bernoulli_pmf(k, p, loc=0) = _pmf(_bernoulli, k, (p,), loc)
## stats.bernoulli_logpmf(k, p, loc=0): the logarithm of bernoulli_pmf, -inf where the probability is 0.
fn bernoulli_logpmf(k, p, loc=0) = _logpmf(_bernoulli, k, (p,), loc)
## stats.bernoulli_cdf(k, p, loc=0): the probability of at most k, the Bernoulli distribution function.
fn bernoulli_cdf(k, p, loc=0) = _count_cdf(_bernoulli, k, (p,), loc)
## stats.bernoulli_logcdf(k, p, loc=0): the logarithm of bernoulli_cdf.
fn bernoulli_logcdf(k, p, loc=0) = _count_logcdf(_bernoulli, k, (p,), loc)
## stats.bernoulli_sf(k, p, loc=0): the probability of more than k, 1 - bernoulli_cdf, accurate also where it is small.
fn bernoulli_sf(k, p, loc=0) = _count_sf(_bernoulli, k, (p,), loc)
## stats.bernoulli_logsf(k, p, loc=0): the logarithm of bernoulli_sf.
fn bernoulli_logsf(k, p, loc=0) = _count_logsf(_bernoulli, k, (p,), loc)
## stats.bernoulli_ppf(q, p, loc=0): the least k with bernoulli_cdf(k) >= q, f[...].
fn bernoulli_ppf(q, p, loc=0) = _count_ppf(_bernoulli, q, (p,), loc)
## stats.bernoulli_isf(q, p, loc=0): the least k with bernoulli_sf(k) <= q, f[...].
fn bernoulli_isf(q, p, loc=0) = _count_isf(_bernoulli, q, (p,), loc)

## log(n! / (k! (n - k)!)), for large n by betaln, because the logarithms of factorials cancel.
fn _log_comb(n, k) {
    let large = n >= 200
    let few = lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)
    if any(large) {
        where(large, -log1p(n) - special.betaln(k + 1, n - k + 1), few)
    } else {
        few
    }
}
let _binom = {
    support: fn(n, p) = (0, n),
    valid: fn(n, p) = n >= 0 and n == floor(n) and p >= 0 and p <= 1,
    logpmf: fn(k, n, p) = special.xlogy(k, p) + special.xlog1py(n - k, -p) + _log_comb(n, k),
    cdf: fn(k, n, p) = special.betainc(n - k, k + 1, 1 - p),
    sf: fn(k, n, p) = special.betainc(k + 1, n - k, p),
}
## stats.binom_pmf(k, n, p, loc=0): the binomial probability. It is that of k successes in n trials, each of which
## succeeds with probability p.
fn binom_pmf(k, n, p, loc=0) = _pmf(_binom, k, (n, p), loc)
## stats.binom_logpmf(k, n, p, loc=0): the logarithm of binom_pmf, -inf where the probability is 0.
fn binom_logpmf(k, n, p, loc=0) = _logpmf(_binom, k, (n, p), loc)
## stats.binom_cdf(k, n, p, loc=0): the probability of at most k, the binomial distribution function.
fn binom_cdf(k, n, p, loc=0) = _count_cdf(_binom, k, (n, p), loc)
## stats.binom_logcdf(k, n, p, loc=0): the logarithm of binom_cdf.
fn binom_logcdf(k, n, p, loc=0) = _count_logcdf(_binom, k, (n, p), loc)
## stats.binom_sf(k, n, p, loc=0): the probability of more than k, 1 - binom_cdf, accurate also where it is small.
fn binom_sf(k, n, p, loc=0) = _count_sf(_binom, k, (n, p), loc)
## stats.binom_logsf(k, n, p, loc=0): the logarithm of binom_sf.
fn binom_logsf(k, n, p, loc=0) = _count_logsf(_binom, k, (n, p), loc)
## stats.binom_ppf(q, n, p, loc=0): the least k with binom_cdf(k) >= q, f[...].
fn binom_ppf(q, n, p, loc=0) = _count_ppf(_binom, q, (n, p), loc)
## stats.binom_isf(q, n, p, loc=0): the least k with binom_sf(k) <= q, f[...].
fn binom_isf(q, n, p, loc=0) = _count_isf(_binom, q, (n, p), loc)

let _nbinom = {
    support: fn(n, p) = (0, inf),
    valid: fn(n, p) = n > 0 and p > 0 and p <= 1,
    logpmf: fn(k, n, p) =
        special.xlogy(n, p) + special.xlog1py(k, -p) - log(n + k) - special.betaln(n, k + 1),
    cdf: fn(k, n, p) = special.betainc(n, k + 1, p),
    sf: fn(k, n, p) = special.betainc(k + 1, n, 1 - p),
}
## stats.nbinom_pmf(k, n, p, loc=0): the negative binomial probability. It is that of k failures before success n,
## where each trial succeeds with probability p.
fn nbinom_pmf(k, n, p, loc=0) = _pmf(_nbinom, k, (n, p), loc)
## stats.nbinom_logpmf(k, n, p, loc=0): the logarithm of nbinom_pmf, -inf where the probability is 0.
fn nbinom_logpmf(k, n, p, loc=0) = _logpmf(_nbinom, k, (n, p), loc)
## stats.nbinom_cdf(k, n, p, loc=0): the probability of at most k, the negative binomial distribution function.
fn nbinom_cdf(k, n, p, loc=0) = _count_cdf(_nbinom, k, (n, p), loc)
## stats.nbinom_logcdf(k, n, p, loc=0): the logarithm of nbinom_cdf.
fn nbinom_logcdf(k, n, p, loc=0) = _count_logcdf(_nbinom, k, (n, p), loc)
## stats.nbinom_sf(k, n, p, loc=0): the probability of more than k, 1 - nbinom_cdf, accurate also where it is small.
fn nbinom_sf(k, n, p, loc=0) = _count_sf(_nbinom, k, (n, p), loc)
## stats.nbinom_logsf(k, n, p, loc=0): the logarithm of nbinom_sf.
fn nbinom_logsf(k, n, p, loc=0) = _count_logsf(_nbinom, k, (n, p), loc)
## stats.nbinom_ppf(q, n, p, loc=0): the least k with nbinom_cdf(k) >= q, f[...].
fn nbinom_ppf(q, n, p, loc=0) = _count_ppf(_nbinom, q, (n, p), loc)
## stats.nbinom_isf(q, n, p, loc=0): the least k with nbinom_sf(k) <= q, f[...].
fn nbinom_isf(q, n, p, loc=0) = _count_isf(_nbinom, q, (n, p), loc)

let _geom = {
    support: fn(p) = (1, inf),
    valid: fn(p) = p > 0 and p <= 1,
    logpmf: fn(k, p) = special.xlog1py(k - 1, -p) + log(p),
    cdf: fn(k, p) = -expm1(k * log1p(-p)),
    sf: fn(k, p) = exp(k * log1p(-p)),
}
## stats.geom_pmf(k, p, loc=0): the geometric probability. It is that of the first success at trial k, where k counts
## from 1 and each trial succeeds with probability p.
fn geom_pmf(k, p, loc=0) = _pmf(_geom, k, (p,), loc)
## stats.geom_logpmf(k, p, loc=0): the logarithm of geom_pmf, -inf where the probability is 0.
fn geom_logpmf(k, p, loc=0) = _logpmf(_geom, k, (p,), loc)
## stats.geom_cdf(k, p, loc=0): the probability of at most k, the geometric distribution function.
fn geom_cdf(k, p, loc=0) = _count_cdf(_geom, k, (p,), loc)
## stats.geom_logcdf(k, p, loc=0): the logarithm of geom_cdf.
fn geom_logcdf(k, p, loc=0) = _count_logcdf(_geom, k, (p,), loc)
## stats.geom_sf(k, p, loc=0): the probability of more than k, 1 - geom_cdf, accurate also where it is small.
fn geom_sf(k, p, loc=0) = _count_sf(_geom, k, (p,), loc)
## stats.geom_logsf(k, p, loc=0): the logarithm of geom_sf.
fn geom_logsf(k, p, loc=0) = _count_logsf(_geom, k, (p,), loc)
## stats.geom_ppf(q, p, loc=0): the least k with geom_cdf(k) >= q, f[...].
fn geom_ppf(q, p, loc=0) = _count_ppf(_geom, q, (p,), loc)
## stats.geom_isf(q, p, loc=0): the least k with geom_sf(k) <= q, f[...].
fn geom_isf(q, p, loc=0) = _count_isf(_geom, q, (p,), loc)

let _poisson = {
    support: fn(mu) = (0, inf),
    valid: fn(mu) = mu >= 0,
    logpmf: fn(k, mu) = special.xlogy(k, mu) - mu - lgamma(k + 1),
    cdf: fn(k, mu) = special.gammaincc(k + 1, mu),
    sf: fn(k, mu) = special.gammainc(k + 1, mu),
}
## stats.poisson_pmf(k, mu, loc=0): the Poisson probability. It is mu^k exp(-mu) / k! with the mean mu.
fn poisson_pmf(k, mu, loc=0) = _pmf(_poisson, k, (mu,), loc)
## stats.poisson_logpmf(k, mu, loc=0): the logarithm of poisson_pmf, -inf where the probability is 0.
fn poisson_logpmf(k, mu, loc=0) = _logpmf(_poisson, k, (mu,), loc)
## stats.poisson_cdf(k, mu, loc=0): the probability of at most k, the Poisson distribution function.
fn poisson_cdf(k, mu, loc=0) = _count_cdf(_poisson, k, (mu,), loc)
## stats.poisson_logcdf(k, mu, loc=0): the logarithm of poisson_cdf.
fn poisson_logcdf(k, mu, loc=0) = _count_logcdf(_poisson, k, (mu,), loc)
## stats.poisson_sf(k, mu, loc=0): the probability of more than k, 1 - poisson_cdf, accurate also where it is small.
fn poisson_sf(k, mu, loc=0) = _count_sf(_poisson, k, (mu,), loc)
## stats.poisson_logsf(k, mu, loc=0): the logarithm of poisson_sf.
fn poisson_logsf(k, mu, loc=0) = _count_logsf(_poisson, k, (mu,), loc)
## stats.poisson_ppf(q, mu, loc=0): the least k with poisson_cdf(k) >= q, f[...].
fn poisson_ppf(q, mu, loc=0) = _count_ppf(_poisson, q, (mu,), loc)
## stats.poisson_isf(q, mu, loc=0): the least k with poisson_sf(k) <= q, f[...].
fn poisson_isf(q, mu, loc=0) = _count_isf(_poisson, q, (mu,), loc)

## stats.poisson_entropy(mu): the entropy -sum(p log(p)) of the Poisson probabilities p, f[...].
## It is computed in f64, below mu = 200 from 480 probabilities and above from its asymptotic series (Evans and Boersma
## 1988).
fn poisson_entropy(mu) {
    let ((mu,), dtype) = _floats((mu,), true)
    let (near, far) = (mu >= 0 and mu < 200, mu >= 200)
    let logs = _poisson.logpmf(f64(arange(480)), where(near, mu, 1)[..., none])
    let sum_of_terms = -sum(where(logs == -inf, 0, exp(logs) * logs), axis=-1)
    let r = 1 / where(far, mu, 200)
    let series = polyval((-863 / 2520, -9 / 80, -19 / 360, -1 / 24, -1 / 12, 0), r)
    let asymptotic = 0.5 * log(2 * pi / r) + 0.5 + series
    where(near, sum_of_terms, where(far, asymptotic, nan)).astype(dtype)
}

let _betabinom = {
    support: fn(n, a, b) = (0, n),
    valid: fn(n, a, b) = n >= 0 and n == floor(n) and a > 0 and b > 0,
    logpmf: fn(k, n, a, b) =
        special.betaln(k + a, n - k + b) - special.betaln(a, b) + _log_comb(n, k),
}
## stats.betabinom_pmf(k, n, a, b, loc=0): the beta-binomial probability. It is that of k successes in n trials, whose
## probability of success has the beta distribution of a and b.
fn betabinom_pmf(k, n, a, b, loc=0) = _pmf(_betabinom, k, (n, a, b), loc)
## stats.betabinom_logpmf(k, n, a, b, loc=0): the logarithm of betabinom_pmf, -inf where the probability is 0.
fn betabinom_logpmf(k, n, a, b, loc=0) = _logpmf(_betabinom, k, (n, a, b), loc)

# ---- distributions of vectors

## stats.dirichlet_logpdf(x, alpha): the logarithm of the Dirichlet density of x f[..., n] for alpha f[n], f[...].
## It is -inf outside of the simplex: where an element is negative, or the sum differs from 1 by more than
## max(1e-6, n eps).
fn dirichlet_logpdf(x, alpha) {
    let x = _inexact(_of_rank_at_least(x, 1, "stats.dirichlet_logpdf", "x f[..., n]"))
    let near = maximum(1e-6, x.shape[-1] * finfo(x).eps)
    let inside = all(x >= 0, axis=-1) and abs(sum(_wide(x), axis=-1) - 1) <= near
    let density =
        sum(special.xlogy(alpha - 1, where(x >= 0, x, 1)), axis=-1) +
        lgamma(sum(alpha, axis=-1)) -
        sum(lgamma(alpha), axis=-1)
    where(inside, density, -inf)
}

## stats.dirichlet_pdf(x, alpha): the Dirichlet density, exp(dirichlet_logpdf).
fn dirichlet_pdf(x, alpha) = exp(dirichlet_logpdf(x, alpha))

## stats.multinomial_logpmf(k, n, p): the logarithm of the multinomial probability of counts k[..., m], f[...].
## n is the number of trials and p f[m] holds the probabilities of the outcomes. It is -inf where the counts do not sum
## to n.
fn multinomial_logpmf(k, n, p) {
    let there = k >= 0 and k == floor(k)
    let i = where(there, k, 0)
    where(
        all(there, axis=-1) and sum(k, axis=-1) == n,
        lgamma(n + 1.0) + sum(special.xlogy(i, p) - lgamma(i + 1.0), axis=-1),
        -inf,
    )
}
## stats.multinomial_pmf(k, n, p): the multinomial probability, exp(multinomial_logpmf).
fn multinomial_pmf(k, n, p) = exp(multinomial_logpmf(k, n, p))

## stats.multivariate_normal_logpdf(x, mean, cov): the logarithm of the normal density of vectors x f[..., n], f[...].
## The parameters are mean f[n] and the covariance cov f[n, n], which must be positive definite.
fn multivariate_normal_logpdf(x, mean, cov) {
    let mean = _vector(mean, "stats.multivariate_normal_logpdf")
    let n = len(mean)
    if x.ndim == 0 or x.shape[-1] != n or cov.shape != (n, n) {
        _refuse(
            "`stats.multivariate_normal_logpdf` needs x f[..., n], mean f[n] and cov f[n, n], got {_type(x)}, {_type(mean)} and {_type(cov)}",
        )
    }
    let l = linalg.cholesky(cov)
    # The batch axes of x become columns of one linear system.
    let columns = (x - mean).reshape(-1, n).T
    let z = linalg.solve_triangular(l, columns, lower=true)
    let squares = sum(z * z, axis=0).reshape(x.shape[:-1])
    -0.5 * squares - sum(log(diagonal(l))) - n * _half_log_2pi
}

## stats.multivariate_normal_pdf(x, mean, cov): the normal density of vectors, exp(multivariate_normal_logpdf).
fn multivariate_normal_pdf(x, mean, cov) = exp(multivariate_normal_logpdf(x, mean, cov))

## stats.gaussian_kde(data, bw_method=none, weights=none): the density estimate of points, a sum of normal densities.
## data f[d, n] has a point in each column; f[n] counts as f[1, n]. `weights` f[n] are the weights of the points, equal
## if it is none. The covariance of each term is factor^2 times the weighted covariance of the data. `bw_method` is
## "scott" (the default) or "silverman" for the factor, the factor itself, or a function of the record. The result is a
## record:
## {factor, covariance f[d, d], neff, the effective number of points, logpdf, evaluate}. evaluate(x) is the density at
## the columns of x f[d, m], f[m], and logpdf(x) its logarithm. A vector x is f[1, m], or f[d, 1] for d > 1.
## Source: D. W. Scott, Multivariate Density Estimation (1992).
fn gaussian_kde(data, bw_method=none, weights=none) {
    let data = _inexact(_of_rank_at_least(data, 1, "stats.gaussian_kde", "data f[d, n]"))
    let points = if data.ndim == 1 { data[none] } else { data }
    if points.ndim != 2 or points.shape[1] < 2 {
        _refuse("`stats.gaussian_kde` needs data f[d, n] of at least 2 points, got {_type(data)}")
    }
    let (d, n) = points.shape
    if weights != none and _vector(weights, "stats.gaussian_kde").shape != (n,) {
        _refuse("`stats.gaussian_kde` needs a weight for each of {n} points, got {_type(weights)}")
    }
    let raw = if weights == none { ones_like(points[0]) } else { array(weights) }
    let w = raw / sum(raw)
    let neff = 1 / sum(w * w)
    let factor = if kind(bw_method) == "function" {
        bw_method({neff: neff, d: d, n: n})
    } else if bw_method == none or kind(bw_method) == "str" {
        let way = _option(
            if bw_method == none { "scott" } else { bw_method },
            "`bw_method`",
            ("scott", "silverman"),
        )
        let count = if way == "scott" { neff } else { neff * (d + 2) / 4 }
        count ** (-1 / (d + 4))
    } else {
        _one_number(bw_method, "the `bw_method` of `stats.gaussian_kde`")
    }
    let centred = points - sum(points * w, axis=1, keepdims=true)
    let covariance = factor ** 2 * (centred * w) @ centred.T / (1 - sum(w * w))
    let l = linalg.cholesky(covariance)
    let places = linalg.solve_triangular(l, points, lower=true)
    let scale = log(w) - sum(log(diagonal(l))) - d * _half_log_2pi
    let logpdf = fn(x) {
        let x = _inexact(_of_rank_at_least(x, 1, "stats.gaussian_kde", "points f[{d}, m]"))
        let x = if x.ndim > 1 { x } else if d == 1 { x[none] } else { x[:, none] }
        if x.shape[0] != d {
            _refuse("`stats.gaussian_kde` needs points f[{d}, m], got {_type(x)}")
        }
        let y = linalg.solve_triangular(l, x, lower=true)
        let squares = sum((y[:, :, none] - places[:, none]) ** 2, axis=0)
        logsumexp(scale - 0.5 * squares, axis=1)
    }
    {
        factor: factor,
        covariance: covariance,
        neff: neff,
        logpdf: logpdf,
        evaluate: fn(x) = exp(logpdf(x)),
    }
}

# ---- data

## stats.sem(x, axis=0, ddof=1): the standard error of the mean along an axis, std(x, ddof) / sqrt(n).
fn sem(x, axis=0, ddof=1) {
    let s = std(x, axis=axis, ddof=ddof)
    s / sqrt(1.0 * _line_size(x, s))
}
## stats.entropy(pk, qk=none, base=none, axis=0): the entropy -sum(p log p) of the distribution pk along an axis.
## With `qk` it is the relative entropy sum(p log(p / q)). pk and qk are normalized to sum 1. `base` is the base of the
## logarithm, e if it is none.
fn entropy(pk, qk=none, base=none, axis=0) {
    let p = pk / sum(pk, axis=axis, keepdims=true)
    let terms = if qk == none {
        special.entr(p)
    } else {
        special.rel_entr(p, qk / sum(qk, axis=axis, keepdims=true))
    }
    let s = sum(terms, axis=axis)
    if base == none { s } else { s / log(_positive(base, "the `base` of `stats.entropy`")) }
}

## stats.zscore(x, axis=0, ddof=0): x minus its mean, divided by its standard deviation, along an axis.
## axis may be several axes. If it is none, both are taken over all of x. `ddof` is that of std.
fn zscore(x, axis=0, ddof=0) =
    (x - mean(x, axis=axis, keepdims=true)) / std(x, axis=axis, ddof=ddof, keepdims=true)

## The number of elements of x that were reduced to each element of `found`, 0 if `found` is empty.
fn _line_size(x, found) =
    if array(found).size == 0 { 0 } else { array(x).size // array(found).size }
## stats.skew(x, axis=0, bias=true): the skewness along an axis, the third standardized moment.
## bias=false corrects it for the sample size n, if n is at least 3.
fn skew(x, axis=0, bias=true) {
    let found = mean(zscore(x, axis=axis) ** 3, axis=axis)
    if bias { return found }
    let n = _line_size(x, found)
    if n < 3 { return found }
    found * sqrt(1.0 * n * (n - 1)) / (n - 2)
}
## stats.kurtosis(x, axis=0, fisher=true, bias=true): the kurtosis along an axis, the fourth standardized moment.
## fisher=true subtracts 3, the kurtosis of the normal distribution. bias=false corrects it for the sample size n,
## if n is at least 4.
fn kurtosis(x, axis=0, fisher=true, bias=true) {
    let found = mean(zscore(x, axis=axis) ** 4, axis=axis)
    let n = _line_size(x, found)
    let fair = if bias or n < 4 {
        found - 3
    } else {
        (n - 1) / ((n - 2) * (n - 3)) * ((n + 1) * found - 3 * (n - 1))
    }
    if fisher { fair } else { fair + 3 }
}

## x and y as floating vectors of equal size. Other arguments are errors.
fn _paired(x, y, what) {
    let (x, y) = (_inexact(_vector(x, what)), _inexact(_vector(y, what)))
    if len(x) != len(y) {
        _refuse("`{what}` needs vectors of one size, got {_type(x)} and {_type(y)}")
    }
    (x, y)
}
## stats.pearsonr(x, y): Pearson's correlation coefficient of two vectors f[n], a scalar.
fn pearsonr(x, y) {
    let (x, y) = _paired(x, y, "stats.pearsonr")
    mean(zscore(x) * zscore(y))
}
## stats.spearmanr(x, y): Spearman's rank correlation coefficient of two vectors f[n], a scalar.
fn spearmanr(x, y) {
    let (x, y) = _paired(x, y, "stats.spearmanr")
    pearsonr(rankdata(x), rankdata(y))
}

## stats.rankdata(x, method="average", axis=none): the ranks of the elements along an axis, from 1.
## If axis is none, x is flattened. The method decides about ties. "average" gives the mean of their ranks, in the
## floating dtype of x (f64 for 64-bit integers, f32 for others). The other methods give i32. "min" gives the least and
## "max" the greatest of their ranks, "dense" gives ranks without gaps, "ordinal" orders ties by index. For "average"
## a NaN makes all ranks along its axis NaN. For the other methods NaN is greater than all numbers.
fn rankdata(x, method="average", axis=none) {
    let ways = ("average", "min", "max", "dense", "ordinal")
    let method = _option(method, "`method`", ways)
    let x = array(x)
    if axis == none { return _ranks(ravel(x), method) }
    let rows = moveaxis(x, axis, -1)
    let lines = rows.reshape(-1, rows.shape[-1])
    moveaxis(vmap(fn(line) = _ranks(line, method))(lines).reshape(rows.shape), -1, axis)
}
fn _ranks(x, method) {
    if method == "ordinal" { return argsort(argsort(x)) + 1 }
    let s = sort(x)
    let least = searchsorted(s, x, side="left") + 1
    if method == "min" { return least }
    let most = searchsorted(s, x, side="right")
    if method == "max" { return most }
    if method == "average" {
        let means = (least + most).astype(_inexact(x).dtype) / 2
        return if _is_float(x) { where(any(isnan(x)), nan, means) } else { means }
    }
    let fresh = concatenate((ones(1, dtype=bool)[:len(x)], s[1:] != s[:-1]))
    cumsum(i32(fresh))[least - 1]
}

## stats.mode(x, axis=0, keepdims=false): the record {mode, count} of the most frequent element along an axis.
## `mode` has the dtype of x, `count` is i32. Of equally frequent elements it is the least. NaN counts as one value,
## the greatest. If axis is none, x is flattened.
fn mode(x, axis=0, keepdims=false) {
    let x = array(x)
    if axis == none {
        let found = mode(ravel(x))
        return tree_map(fn(y) = if keepdims { y.reshape((1,) * x.ndim) } else { y }, found)
    }
    let rows = moveaxis(x, axis, -1)
    if rows.shape[-1] == 0 {
        _refuse("`stats.mode` needs an element along axis {axis}, got {_type(x)}")
    }
    let (values, counts) = vmap(_mode)(rows.reshape(-1, rows.shape[-1]))
    let out = fn(y) {
        let whole = y.reshape(rows.shape[:-1])
        if keepdims { expand_dims(whole, axis) } else { whole }
    }
    {mode: out(values), count: out(counts)}
}
fn _mode(line) {
    let s = sort(line)
    let counts = searchsorted(s, s, side="right") - searchsorted(s, s, side="left")
    let at = argmax(counts)
    (s[at], counts[at])
}

## stats.linregress(x, y): the least-squares line through points, the record {slope, intercept, r} of scalars.
## x and y are vectors f[n], and r is pearsonr(x, y).
fn linregress(x, y) {
    let (x, y) = _paired(x, y, "stats.linregress")
    let slope = sum((x - mean(x)) * (y - mean(y))) / sum((x - mean(x)) ** 2)
    {slope: slope, intercept: mean(y) - slope * mean(x), r: pearsonr(x, y)}
}

test "densities at known places" {
    assert(
        allclose(norm_pdf(0.0), 0.3989423) and
        allclose(norm_cdf(1.96), 0.9750021) and
        allclose(norm_ppf([0.975, 1e-20]), [1.959964, -9.262340]),
    )
    assert(
        allclose(gamma_logpdf(2.0, 3.0), -1.3068528) and
        allclose(beta_logpdf(0.3, 2.0, 3.0), 0.567584, atol=1e-5),
    )
    assert(
        allclose(t_logpdf(1.0, 4.0), -1.538688, atol=1e-5) and
        allclose(poisson_logpmf(3, 2.5), -1.542887, atol=1e-5),
    )
}

## All functions of a distribution at quantiles, in one compiled function.
fn _laws(d, shape) {
    let p = f64([0.003, 0.2, 0.5, 0.7, 0.99])
    let x = _ppf(d, p, shape, 0.5, 2.0)
    let below = fn(x) = _cdf(d, x, shape, 0.5, 2.0)
    let (y, slope) = jvp(below, (x,), (ones_like(x),))
    let density = _pdf(d, x, shape, 0.5, 2.0)
    let steps = jvp(fn(p) = _ppf(d, p, shape, 0.5, 2.0), (p,), (ones_like(p),))[1]
    let pairs = (
        (y, p),
        (_sf(d, x, shape, 0.5, 2.0), 1 - p),
        (_isf(d, 1 - p, shape, 0.5, 2.0), x),
        (slope, density),
        (steps * density, ones_like(p)),
        (_logcdf(d, x, shape, 0.5, 2.0), log(p)),
        (_logsf(d, x, shape, 0.5, 2.0), log1p(-p)),
    )
    (allclose(a, b, rtol=1e-10, atol=1e-12) for (a, b) in pairs)
}

test "ppf inverts cdf, and the derivative of cdf is pdf" {
    let all_of = ((_norm, ()), (_gumbel_l, ()), (_pareto, (2.5,)), (_gamma, (0.8,)))
    for (d, shape) in all_of {
        for good in _laws(d, shape) { assert(good) }
    }
    assert(all(grad(fn(z) = t_cdf(z, 3.0))(0.0) == t_pdf(0.0, 3.0)))
    assert(allclose(vmap(norm_logsf)(f16([3.0, 60.0])), [-6.607726, -1805], rtol=1e-3))
    assert(gamma_cdf(f16(2.0), 3.0).dtype == f16 and norm_pdf(bf16(1.0)).dtype == bf16)
    assert(
        isnan(norm_cdf(0.0, 0.0, -1.0)) and
        isnan(beta_pdf(0.5, -1.0, 2.0)) and
        isnan(expon_pdf(nan)),
    )
}

test "quantiles of counts" {
    let k = arange(1, 9)
    assert(
        array_equal(binom_ppf(binom_cdf(f64(k), 10, 0.3), 10, 0.3), f64(k)) and
        array_equal(poisson_ppf(poisson_cdf(f64(k), 3.5), 3.5), f64(k)) and
        array_equal(geom_isf(geom_sf(f64(k), 0.2), 0.2), f64(k)),
    )
    assert(all(nbinom_ppf([0.0, 1.0], 3, 0.4) == [-1.0, inf]) and bernoulli_ppf(0.9, 0.3) == 1)
    let p = poisson_pmf(arange(30), 4.0)
    assert(allclose(cumsum(p), poisson_cdf(arange(30), 4.0), rtol=1e-5))
    let h = f64([2.086672699880964, 4.067679501476731])
    assert(
        poisson_entropy(0.0) == 0 and allclose(poisson_entropy(f64([4.0, 200.0])), h, rtol=1e-13),
    )
    assert(allclose(sum(betabinom_pmf(arange(11), 10, 1.5, 2.0)), 1))
}

test "density estimates and modes" {
    let x = [[1.0, 2.0, 4.0, 4.5], [0.0, 1.0, -1.0, 0.5]]
    let k = gaussian_kde(x, weights=[1.0, 2.0, 1.0, 1.0])
    let each = vmap(fn(c) = multivariate_normal_pdf([1.5, 0.2], c, k.covariance))(x.T)
    assert(allclose(k.evaluate([1.5, 0.2])[0], sum(each * [0.2, 0.4, 0.2, 0.2]), rtol=1e-5))
    let {mode: m, count} = mode([[3, 1, 3], [2, 2, 1]], axis=1)
    assert(array_equal(m, [3, 2]) and array_equal(count, [2, 2]))
    assert(mode([2.0, 1.0]).mode == 1 and isnan(mode([nan, 1.0, nan]).mode))
    assert(mode(x, axis=none, keepdims=true).count.shape == (1, 1))
}

test "a line is found again" {
    let x = arange(10.0)
    let {slope, intercept, r} = linregress(x, 3 * x - 1)
    assert(allclose(slope, 3) and allclose(intercept, -1) and allclose(r, 1))
}

test "what cannot be has probability 0, and edges have their value" {
    assert(all(poisson_logpmf([-1, -2], 2.0) == -inf) and poisson_logpmf(0, 0.0) == 0)
    assert(binom_logpmf(0, 5, 0.0) == 0 and all(binom_logpmf([6, -1], 5, 0.5) == -inf))
    assert(poisson_logpmf(2.5, 3.0) == -inf and geom_logpmf(2.5, 0.5) == -inf)
    assert(binom_logpmf(2.5, 5, 0.5) == -inf and nbinom_logpmf(2.5, 2, 0.5) == -inf)
    let p = [0.2, 0.3, 0.5]
    assert(
        multinomial_logpmf([1.5, 1.5, 2.0], 5, p) == -inf and
        multinomial_logpmf([-1, 3, 3], 5, p) == -inf,
    )
    let outside = [[0.2, 0.3, 0.6], [-0.2, 0.7, 0.5], [0.2, 0.3, 0.4]]
    assert(all(dirichlet_logpdf(outside, [1.5, 2.0, 3.0]) == -inf))
    assert(allclose(dirichlet_logpdf([0.0, 0.5, 0.5], ones(3)), log(2.0)))
    let wide = random.dirichlet(random.key(0), ones(2000))
    assert(isfinite(dirichlet_logpdf(wide, ones(2000))))
    assert(bernoulli_logpmf(2, 0.5) == -inf and geom_logpmf(0, 0.5) == -inf)
    assert(gamma_logpdf(0.0, 1.0) == 0 and allclose(beta_logpdf([0.0, 1.0], 1.0, 1.0), 0))
    assert(beta_logpdf(-0.1, 2.0, 2.0) == -inf and gamma_logpdf(-1.0, 2.0) == -inf)
    assert(
        allclose(sum(binom_pmf(arange(6), 5, 0.3)), 1) and
        allclose(sum(poisson_pmf(arange(40), 4.0)), 1),
    )
    assert(isfinite(grad(fn(a) = gamma_logpdf(-1.0, a))(2.0)))
}

test "ranks of equal elements" {
    let x = [3.0, 1.0, 3.0, 2.0]
    assert(
        array_equal(rankdata(x), [3.5, 1.0, 3.5, 2.0]) and
        array_equal(rankdata(x, method="min"), [3, 1, 3, 2]),
    )
    assert(
        array_equal(rankdata(x, method="max"), [4, 1, 4, 2]) and
        array_equal(rankdata(x, method="dense"), [3, 1, 3, 2]),
    )
    assert(array_equal(rankdata(x, method="ordinal"), [3, 1, 4, 2]))
    assert(array_equal(rankdata([[2, 1], [1, 1]], axis=1), [[2.0, 1.0], [1.5, 1.5]]))
    # A NaN makes all ranks of its row NaN.
    let gap = rankdata([[nan, 1.0], [2.0, 1.0]], axis=1)
    assert(all(isnan(gap[0])) and array_equal(gap[1], [2, 1]))
    assert(
        array_equal(rankdata([nan, 1.0], method="min"), [2, 1]) and
        isnan(spearmanr([nan, 1.0, 2.0], x[:3])),
    )
    assert(rankdata(zeros(0)).shape == (0,) and rankdata(zeros(0), method="dense").shape == (0,))
    assert(allclose(spearmanr([1.0, 2.0, 3.0], [1.0, 8.0, 27.0]), 1))
}

test "a density of many places at once" {
    let (m, c) = ([1.0, -1.0], [[2.0, 0.5], [0.5, 1.0]])
    let x = random.normal(random.key(0), (4, 3, 2))
    let one = vmap(vmap(fn(x) = multivariate_normal_logpdf(x, m, c)))(x)
    assert(allclose(multivariate_normal_logpdf(x, m, c), one, rtol=1e-5))
}
