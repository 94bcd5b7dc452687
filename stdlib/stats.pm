# Distributions: densities, distribution functions, quantiles; elementwise, f[...]. loc and scale move and stretch.

let _half_log_2pi = 0.9189385332046727

## stats.norm_logpdf(x, loc=0, scale=1): the logarithm of the normal density.
fn norm_logpdf(x, loc=0.0, scale=1.0) = -0.5 * ((x - loc) / scale) ** 2 - _half_log_2pi - log(scale)
## stats.norm_pdf(x, loc=0, scale=1): the normal density.
fn norm_pdf(x, loc=0.0, scale=1.0) = exp(norm_logpdf(x, loc, scale))
## stats.norm_cdf(x, loc=0, scale=1): the normal distribution function.
fn norm_cdf(x, loc=0.0, scale=1.0) = 0.5 * erfc((loc - x) / scale * 0.7071067811865476)
## stats.norm_ppf(p, loc=0, scale=1): the inverse of norm_cdf.
fn norm_ppf(p, loc=0.0, scale=1.0) = loc + scale * special.ndtri(p)

## stats.uniform_logpdf(x, loc=0, scale=1): -log(scale) over loc .. loc + scale, else -inf.
fn uniform_logpdf(x, loc=0.0, scale=1.0) = where(x >= loc and x <= loc + scale, -log(scale), -inf)
## stats.uniform_pdf(x, loc=0, scale=1): 1 / scale over loc .. loc + scale.
fn uniform_pdf(x, loc=0.0, scale=1.0) = exp(uniform_logpdf(x, loc, scale))
## stats.uniform_cdf(x, loc=0, scale=1): the part of loc .. loc + scale below x.
fn uniform_cdf(x, loc=0.0, scale=1.0) = clip((x - loc) / scale, 0, 1)

## stats.expon_logpdf(x, loc=0, scale=1): the logarithm of exp(-x); -inf below loc.
fn expon_logpdf(x, loc=0.0, scale=1.0) = where(x >= loc, -(x - loc) / scale - log(scale), -inf)
## stats.expon_cdf(x, loc=0, scale=1): 1 - exp(-x).
fn expon_cdf(x, loc=0.0, scale=1.0) = where(x >= loc, -expm1(-(x - loc) / scale), 0.0)

## stats.laplace_logpdf(x, loc=0, scale=1): the logarithm of exp(-|x|) / 2.
fn laplace_logpdf(x, loc=0.0, scale=1.0) = -abs(x - loc) / scale - log(2 * scale)
## stats.logistic_logpdf(x, loc=0, scale=1): the logarithm of the derivative of the logistic function.
fn logistic_logpdf(x, loc=0.0, scale=1.0) {
    let z = (x - loc) / scale
    -z - 2 * logaddexp(0.0, -z) - log(scale)
}
## stats.cauchy_logpdf(x, loc=0, scale=1): the logarithm of 1 / (pi (1 + x^2)).
fn cauchy_logpdf(x, loc=0.0, scale=1.0) = -log(pi * scale) - log1p(((x - loc) / scale) ** 2)

## stats.gamma_logpdf(x, a, loc=0, scale=1): the logarithm of x^(a - 1) exp(-x) / gamma(a); -inf below loc.
fn gamma_logpdf(x, a, loc=0.0, scale=1.0) {
    let z = (x - loc) / scale
    where(z > 0, (a - 1) * log(where(z > 0, z, 1.0)) - z - lgamma(a) - log(scale), -inf)
}
## stats.beta_logpdf(x, a, b): the logarithm of the beta density; -inf outside 0 .. 1.
fn beta_logpdf(x, a, b) {
    let inside = x > 0 and x < 1
    let z = where(inside, x, 0.5)
    where(
        inside,
        (a - 1) * log(z) + (b - 1) * log1p(-z) - lgamma(a) - lgamma(b) + lgamma(a + b),
        -inf,
    )
}
## stats.t_logpdf(x, df, loc=0, scale=1): the logarithm of Student's density.
fn t_logpdf(x, df, loc=0.0, scale=1.0) {
    let z = (x - loc) / scale
    lgamma((df + 1) / 2) -
        lgamma(df / 2) -
        0.5 * log(df * pi) -
        log(scale) -
        (df + 1) / 2 * log1p(z ** 2 / df)
}
## stats.chi2_logpdf(x, df): the logarithm of the density of the sum of df squared normals.
fn chi2_logpdf(x, df) = gamma_logpdf(x, df / 2, scale=2.0)

## stats.poisson_logpmf(k, mu): the logarithm of the probability of a count k with mean mu; the others likewise.
fn poisson_logpmf(k, mu) = where(k >= 0, k * log(mu) - mu - lgamma(k + 1.0), -inf)
## stats.binom_logpmf(k, n, p): k of n, each with probability p.
fn binom_logpmf(k, n, p) =
    lgamma(n + 1.0) - lgamma(k + 1.0) - lgamma(n - k + 1.0) + k * log(p) + (n - k) * log1p(-p)
## stats.bernoulli_logpmf(k, p): k is 0 or 1.
fn bernoulli_logpmf(k, p) = where(k == 1, log(p), log1p(-p))
## stats.geom_logpmf(k, p): the first success at trial k = 1, 2, ...
fn geom_logpmf(k, p) = log(p) + (k - 1) * log1p(-p)

## stats.multivariate_normal_logpdf(x, mean, cov): f[..., n], f[n], f[n, n] -> f[...].
fn multivariate_normal_logpdf(x, mean, cov) {
    let l = linalg.cholesky(cov)
    let z = linalg.solve_triangular(l, (x - mean)[..., none], lower=true)[..., 0]
    -0.5 * sum(z * z, axis=-1) - sum(log(diagonal(l))) - len(mean) * _half_log_2pi
}

## stats.zscore(x, axis=0): less the mean, divided by the standard deviation.
fn zscore(x, axis=0) = (x - mean(x, axis=axis, keepdims=true)) / std(x, axis=axis, keepdims=true)

## stats.skew(x): the third standardized moment, along axis 0.
fn skew(x) = mean(zscore(x) ** 3, axis=0)
## stats.kurtosis(x): the fourth standardized moment less 3, along axis 0.
fn kurtosis(x) = mean(zscore(x) ** 4, axis=0) - 3

## stats.pearsonr(x, y): the correlation of two vectors.
fn pearsonr(x, y) = sum(zscore(x) * zscore(y)) / len(x)
## stats.rankdata(x): the rank of each element of a vector, from 1; equal ones in the order they stand, i32[n].
fn rankdata(x) = argsort(argsort(x)) + 1

## stats.linregress(x, y): {slope, intercept, r} of the line nearest to the points.
fn linregress(x, y) {
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

test "a line is found again" {
    let x = arange(10.0)
    let {slope, intercept, r} = linregress(x, 3 * x - 1)
    assert(allclose(slope, 3) and allclose(intercept, -1) and allclose(r, 1))
}
