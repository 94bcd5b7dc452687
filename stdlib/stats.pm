# Distributions: densities, distribution functions, quantiles; elementwise, f[...]. loc and scale move and stretch.

let _half_log_2pi = 0.9189385332046727

## stats.norm_pdf(x, loc=0, scale=1): the normal density; norm_logpdf its logarithm, norm_cdf its integral, norm_ppf the inverse of that.
fn norm_logpdf(x, loc=0.0, scale=1.0) = -0.5 * ((x - loc) / scale) ** 2 - _half_log_2pi - log(scale)
fn norm_pdf(x, loc=0.0, scale=1.0) = exp(norm_logpdf(x, loc, scale))
fn norm_cdf(x, loc=0.0, scale=1.0) = 0.5 * erfc((loc - x) / scale * 0.7071067811865476)
fn norm_ppf(p, loc=0.0, scale=1.0) = loc + scale * 1.4142135623730951 * erf_inv(2 * p - 1)

## stats.uniform_pdf, uniform_logpdf, uniform_cdf(x, loc=0, scale=1): evenly over loc .. loc + scale.
fn uniform_logpdf(x, loc=0.0, scale=1.0) = where(x >= loc and x <= loc + scale, -log(scale), -inf)
fn uniform_pdf(x, loc=0.0, scale=1.0) = exp(uniform_logpdf(x, loc, scale))
fn uniform_cdf(x, loc=0.0, scale=1.0) = clip((x - loc) / scale, 0, 1)

## stats.expon_logpdf, expon_cdf(x, loc=0, scale=1): exp(-x).
fn expon_logpdf(x, loc=0.0, scale=1.0) = where(x >= loc, -(x - loc) / scale - log(scale), -inf)
fn expon_cdf(x, loc=0.0, scale=1.0) = where(x >= loc, -expm1(-(x - loc) / scale), 0.0)

fn laplace_logpdf(x, loc=0.0, scale=1.0) = -abs(x - loc) / scale - log(2 * scale)
fn logistic_logpdf(x, loc=0.0, scale=1.0) {
    let z = (x - loc) / scale
    -z - 2 * logaddexp(0.0, -z) - log(scale)
}
fn cauchy_logpdf(x, loc=0.0, scale=1.0) = -log(pi * scale) - log1p(((x - loc) / scale) ** 2)

## stats.gamma_logpdf(x, a, loc=0, scale=1), beta_logpdf(x, a, b), t_logpdf(x, df, loc=0, scale=1), chi2_logpdf(x, df).
fn gamma_logpdf(x, a, loc=0.0, scale=1.0) {
    let z = (x - loc) / scale
    where(z > 0, (a - 1) * log(where(z > 0, z, 1.0)) - z - lgamma(a) - log(scale), -inf)
}
fn beta_logpdf(x, a, b) {
    let inside = x > 0 and x < 1
    let z = where(inside, x, 0.5)
    where(inside, (a - 1) * log(z) + (b - 1) * log1p(-z) - lgamma(a) - lgamma(b) + lgamma(a + b), -inf)
}
fn t_logpdf(x, df, loc=0.0, scale=1.0) {
    let z = (x - loc) / scale
    lgamma((df + 1) / 2) - lgamma(df / 2) - 0.5 * log(df * pi) - log(scale) - (df + 1) / 2 * log1p(z ** 2 / df)
}
fn chi2_logpdf(x, df) = gamma_logpdf(x, df / 2, scale=2.0)

## stats.poisson_logpmf(k, mu), binom_logpmf(k, n, p), bernoulli_logpmf(k, p), geom_logpmf(k, p): logarithms of probabilities of counts.
fn poisson_logpmf(k, mu) = where(k >= 0, k * log(mu) - mu - lgamma(k + 1.0), -inf)
fn binom_logpmf(k, n, p) = lgamma(n + 1.0) - lgamma(k + 1.0) - lgamma(n - k + 1.0) + k * log(p) + (n - k) * log1p(-p)
fn bernoulli_logpmf(k, p) = where(k == 1, log(p), log1p(-p))
fn geom_logpmf(k, p) = log(p) + (k - 1) * log1p(-p)

## stats.multivariate_normal_logpdf(x, mean, cov): f[..., n], f[n], f[n, n] -> f[...].
fn multivariate_normal_logpdf(x, mean, cov) {
    let l = linalg.cholesky(cov)
    let z = linalg.solve_triangular(l, (x - mean)[..., none], lower=true)[..., 0]
    -0.5 * sum(z * z, axis=-1) - sum(log(diagonal(l))) - len(mean) * _half_log_2pi
}

## stats.zscore(x, axis=0): less the mean, divided by the standard deviation.
fn zscore(x, axis=0) = (x - mean(x, axis=axis, keepdims=true)) / std(x, axis=axis, keepdims=true)

## stats.skew(x), stats.kurtosis(x): the third and fourth standardized moments (3 is taken off the fourth), along axis 0.
fn skew(x) = mean(zscore(x) ** 3, axis=0)
fn kurtosis(x) = mean(zscore(x) ** 4, axis=0) - 3

## stats.pearsonr(x, y): the correlation of two vectors. stats.rankdata(x): ranks from 1 in order of size.
fn pearsonr(x, y) = sum(zscore(x) * zscore(y)) / len(x)
fn rankdata(x) = argsort(argsort(x)) + 1

## stats.linregress(x, y): {slope, intercept, r} of the line nearest to the points.
fn linregress(x, y) {
    let slope = sum((x - mean(x)) * (y - mean(y))) / sum((x - mean(x)) ** 2)
    {slope: slope, intercept: mean(y) - slope * mean(x), r: pearsonr(x, y)}
}

test "densities at known places" {
    assert(allclose(norm_pdf(0.0), 0.3989423) and allclose(norm_cdf(1.96), 0.9750021) and allclose(norm_ppf(0.975), 1.959964))
    assert(allclose(gamma_logpdf(2.0, 3.0), -1.3068528) and allclose(beta_logpdf(0.3, 2.0, 3.0), 0.567584, atol=1e-5))
    assert(allclose(t_logpdf(1.0, 4.0), -1.538688, atol=1e-5) and allclose(poisson_logpmf(3, 2.5), -1.542887, atol=1e-5))
}

test "a line is found again" {
    let x = arange(10.0)
    let {slope, intercept, r} = linregress(x, 3 * x - 1)
    assert(allclose(slope, 3) and allclose(intercept, -1) and allclose(r, 1))
}
