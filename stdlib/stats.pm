# Probability distributions: densities, distribution functions and quantiles, elementwise on f[...], as in
# jax.scipy.stats. `loc` is the location parameter and `scale` the scale parameter, above 0. In the comments,
# z = (x - loc) / scale. After the distributions: descriptive statistics. tests/oracle compares with JAX and SciPy.

let _half_log_2pi = 0.9189385332046727

## stats.norm_logpdf(x, loc=0, scale=1): the logarithm of the normal density with mean `loc` and deviation `scale`.
fn norm_logpdf(x, loc=0.0, scale=1.0) = -0.5 * ((x - loc) / scale) ** 2 - _half_log_2pi - log(scale)
## stats.norm_pdf(x, loc=0, scale=1): the normal density with mean `loc` and standard deviation `scale`.
fn norm_pdf(x, loc=0.0, scale=1.0) = exp(norm_logpdf(x, loc, scale))
## stats.norm_cdf(x, loc=0, scale=1): the normal distribution function.
fn norm_cdf(x, loc=0.0, scale=1.0) = 0.5 * erfc((loc - x) / scale * 0.7071067811865476)
## stats.norm_ppf(p, loc=0, scale=1): the normal quantile of probability p, the inverse of norm_cdf.
fn norm_ppf(p, loc=0.0, scale=1.0) = loc + scale * special.ndtri(p)

## stats.norm_logcdf(x, loc=0, scale=1): the logarithm of norm_cdf, accurate also where norm_cdf underflows to 0.
fn norm_logcdf(x, loc=0.0, scale=1.0) = special.log_ndtr((x - loc) / scale)
## stats.norm_sf(x, loc=0, scale=1): the normal survival function 1 - norm_cdf, accurate also where it is small.
fn norm_sf(x, loc=0.0, scale=1.0) = norm_cdf(2 * loc - x, loc, scale)

## stats.uniform_logpdf(x, loc=0, scale=1): the logarithm of the uniform density on [loc, loc + scale], -inf outside.
fn uniform_logpdf(x, loc=0.0, scale=1.0) = where(x >= loc and x <= loc + scale, -log(scale), -inf)
## stats.uniform_pdf(x, loc=0, scale=1): the uniform density, 1 / scale on [loc, loc + scale] and 0 outside.
fn uniform_pdf(x, loc=0.0, scale=1.0) = exp(uniform_logpdf(x, loc, scale))
## stats.uniform_cdf(x, loc=0, scale=1): the uniform distribution function, (x - loc) / scale clipped to [0, 1].
fn uniform_cdf(x, loc=0.0, scale=1.0) = clip((x - loc) / scale, 0, 1)

## stats.expon_logpdf(x, loc=0, scale=1): the logarithm of the exponential density, -inf below loc.
## The density is exp(-z) / scale with z = (x - loc) / scale.
fn expon_logpdf(x, loc=0.0, scale=1.0) = where(x >= loc, -(x - loc) / scale - log(scale), -inf)
## stats.expon_pdf(x, loc=0, scale=1): the exponential density, 0 below loc.
## It is exp(-z) / scale with z = (x - loc) / scale.
fn expon_pdf(x, loc=0.0, scale=1.0) = exp(expon_logpdf(x, loc, scale))
## stats.expon_cdf(x, loc=0, scale=1): the exponential distribution function, 0 below loc.
## It is 1 - exp(-z) with z = (x - loc) / scale.
fn expon_cdf(x, loc=0.0, scale=1.0) = where(x >= loc, -expm1(-(x - loc) / scale), 0.0)

## stats.laplace_logpdf(x, loc=0, scale=1): the logarithm of the Laplace density.
## The density is exp(-|z|) / (2 scale) with z = (x - loc) / scale.
fn laplace_logpdf(x, loc=0.0, scale=1.0) = -abs(x - loc) / scale - log(2 * scale)
## stats.laplace_cdf(x, loc=0, scale=1): the Laplace distribution function.
## It is exp(z) / 2 below loc, else 1 - exp(-z) / 2, with z = (x - loc) / scale.
fn laplace_cdf(x, loc=0.0, scale=1.0) {
    let z = (x - loc) / scale
    let tail = 0.5 * exp(-abs(z))
    where(z < 0, tail, 1 - tail)
}
## stats.logistic_logpdf(x, loc=0, scale=1): the logarithm of the logistic density, the derivative of logistic_cdf.
fn logistic_logpdf(x, loc=0.0, scale=1.0) {
    let z = (x - loc) / scale
    -z - 2 * logaddexp(0.0, -z) - log(scale)
}
## stats.logistic_cdf(x, loc=0, scale=1): the logistic distribution function.
## It is 1 / (1 + exp(-z)) with z = (x - loc) / scale.
fn logistic_cdf(x, loc=0.0, scale=1.0) = logistic((x - loc) / scale)
## stats.cauchy_logpdf(x, loc=0, scale=1): the logarithm of the Cauchy density.
## The density is 1 / (pi scale (1 + z^2)) with z = (x - loc) / scale.
fn cauchy_logpdf(x, loc=0.0, scale=1.0) = -log(pi * scale) - log1p(((x - loc) / scale) ** 2)

## stats.cauchy_cdf(x, loc=0, scale=1): the Cauchy distribution function.
## It is 1 / 2 + arctan(z) / pi with z = (x - loc) / scale.
fn cauchy_cdf(x, loc=0.0, scale=1.0) = 0.5 + arctan((x - loc) / scale) / pi

## stats.gamma_logpdf(x, a, loc=0, scale=1): the logarithm of the gamma density, -inf below loc.
## The density is z^(a - 1) exp(-z) / (gamma(a) scale) with shape parameter `a` and z = (x - loc) / scale.
fn gamma_logpdf(x, a, loc=0.0, scale=1.0) {
    let z = (x - loc) / scale
    let inside = where(z >= 0, z, 1.0)
    where(z >= 0, special.xlogy(a - 1, inside) - inside - lgamma(a) - log(scale), -inf)
}
## stats.gamma_pdf(x, a, loc=0, scale=1): the gamma density with shape parameter `a`, exp(gamma_logpdf).
fn gamma_pdf(x, a, loc=0.0, scale=1.0) = exp(gamma_logpdf(x, a, loc, scale))
## stats.beta_logpdf(x, a, b, loc=0.0, scale=1.0): the logarithm of the beta density, -inf outside [loc, loc + scale].
## The density is proportional to z^(a - 1) (1 - z)^(b - 1) with z = (x - loc) / scale.
fn beta_logpdf(x, a, b, loc=0.0, scale=1.0) {
    let y = (x - loc) / scale
    let inside = y >= 0 and y <= 1
    let z = where(inside, y, 0.5)
    where(
        inside,
        special.xlogy(a - 1, z) +
            special.xlog1py(b - 1, -z) -
            lgamma(a) -
            lgamma(b) +
            lgamma(a + b) -
            log(scale),
        -inf,
    )
}
## stats.beta_pdf(x, a, b, loc=0.0, scale=1.0): the beta density with parameters `a` and `b`, exp(beta_logpdf).
fn beta_pdf(x, a, b, loc=0.0, scale=1.0) = exp(beta_logpdf(x, a, b, loc, scale))
## stats.pareto_logpdf(x, b, loc=0, scale=1): the logarithm of the Pareto density, -inf below loc + scale.
## The density is b / (z^(b + 1) scale) with z = (x - loc) / scale.
fn pareto_logpdf(x, b, loc=0.0, scale=1.0) {
    let z = (x - loc) / scale
    where(z >= 1, log(b) - (b + 1) * log(where(z >= 1, z, 1.0)) - log(scale), -inf)
}
## stats.vonmises_logpdf(x, kappa): the logarithm of the von Mises density exp(kappa cos(x)) / (2 pi i0(kappa)).
## x is an angle in radians, and the mean direction is 0.
fn vonmises_logpdf(x, kappa) = kappa * (cos(x) - 1) - log(2 * pi * special.i0e(kappa))
## stats.t_logpdf(x, df, loc=0, scale=1): the logarithm of the density of Student's t with `df` degrees of freedom.
fn t_logpdf(x, df, loc=0.0, scale=1.0) {
    let z = (x - loc) / scale
    lgamma((df + 1) / 2) -
        lgamma(df / 2) -
        0.5 * log(df * pi) -
        log(scale) -
        (df + 1) / 2 * log1p(z ** 2 / df)
}
## stats.chi2_logpdf(x, df, loc=0.0, scale=1.0): the logarithm of the chi-square density with `df` degrees of freedom.
## This is the distribution of the sum of df squared standard normal numbers.
fn chi2_logpdf(x, df, loc=0.0, scale=1.0) = gamma_logpdf(x, df / 2, loc, 2 * scale)

## stats.poisson_logpmf(k, mu): the logarithm of the Poisson probability of the count k for the mean mu.
## This and the other logarithms of probabilities are -inf for impossible k, which includes k that is not an integer.
fn poisson_logpmf(k, mu) {
    let there = _is_count(k)
    let n = where(there, k, 0)
    where(there, special.xlogy(n, mu) - mu - lgamma(n + 1.0), -inf)
}
fn _is_count(k) = k >= 0 and k == floor(k)
## stats.poisson_pmf(k, mu): the Poisson probability of the count k for the mean mu.
fn poisson_pmf(k, mu) = exp(poisson_logpmf(k, mu))
## stats.binom_logpmf(k, n, p): the logarithm of the probability of k successes in n trials of probability p.
fn binom_logpmf(k, n, p) {
    let there = _is_count(k) and k <= n
    let i = where(there, k, 0)
    where(
        there,
        lgamma(n + 1.0) -
            lgamma(i + 1.0) -
            lgamma(n - i + 1.0) +
            special.xlogy(i, p) +
            special.xlog1py(n - i, -p),
        -inf,
    )
}
## stats.binom_pmf(k, n, p): the probability of k successes in n trials of probability p.
fn binom_pmf(k, n, p) = exp(binom_logpmf(k, n, p))
## stats.nbinom_logpmf(k, n, p): the logarithm of the probability of k failures before success n, negative binomial.
## Each trial succeeds with probability p.
fn nbinom_logpmf(k, n, p) {
    let there = _is_count(k)
    let i = where(there, k, 0)
    where(
        there,
        lgamma(i + n) -
            lgamma(i + 1.0) -
            lgamma(1.0 * n) +
            special.xlogy(n, p) +
            special.xlog1py(i, -p),
        -inf,
    )
}
## stats.bernoulli_logpmf(k, p): log(p) for k = 1, log(1 - p) for k = 0, else -inf.
fn bernoulli_logpmf(k, p) = where(k == 1, log(p), where(k == 0, log1p(-p), -inf))
## stats.geom_logpmf(k, p): the logarithm of the probability that the first success is at trial k.
## k counts from 1. Each trial succeeds with probability p.
fn geom_logpmf(k, p) {
    let there = _is_count(k - 1)
    let before = where(there, k - 1, 0)
    where(there, special.xlog1py(before, -p) + log(p), -inf)
}

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

## stats.multinomial_logpmf(k, n, p): the logarithm of the multinomial probability of counts k[..., m], f[...].
## n is the number of trials and p f[m] holds the probabilities of the outcomes. It is -inf where the counts do not sum
## to n.
fn multinomial_logpmf(k, n, p) {
    let there = _is_count(k)
    let i = where(there, k, 0)
    where(
        all(there, axis=-1) and sum(k, axis=-1) == n,
        lgamma(n + 1.0) + sum(special.xlogy(i, p) - lgamma(i + 1.0), axis=-1),
        -inf,
    )
}

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
