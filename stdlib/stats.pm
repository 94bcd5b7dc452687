# Distributions: densities, distribution functions, quantiles; elementwise, f[...], as in jax.scipy.stats. loc and scale move and stretch.
# Below them: what describes data. tests/oracle compares with JAX and SciPy.

let _half_log_2pi = 0.9189385332046727

## stats.norm_logpdf(x, loc=0, scale=1): the logarithm of the normal density.
fn norm_logpdf(x, loc=0.0, scale=1.0) = -0.5 * ((x - loc) / scale) ** 2 - _half_log_2pi - log(scale)
## stats.norm_pdf(x, loc=0, scale=1): the normal density.
fn norm_pdf(x, loc=0.0, scale=1.0) = exp(norm_logpdf(x, loc, scale))
## stats.norm_cdf(x, loc=0, scale=1): the normal distribution function.
fn norm_cdf(x, loc=0.0, scale=1.0) = 0.5 * erfc((loc - x) / scale * 0.7071067811865476)
## stats.norm_ppf(p, loc=0, scale=1): the inverse of norm_cdf.
fn norm_ppf(p, loc=0.0, scale=1.0) = loc + scale * special.ndtri(p)

## stats.norm_logcdf(x, loc=0, scale=1): the logarithm of norm_cdf, right also where that is 0.
fn norm_logcdf(x, loc=0.0, scale=1.0) = special.log_ndtr((x - loc) / scale)
## stats.norm_sf(x, loc=0, scale=1): 1 - norm_cdf, without its rounding.
fn norm_sf(x, loc=0.0, scale=1.0) = norm_cdf(2 * loc - x, loc, scale)

## stats.uniform_logpdf(x, loc=0, scale=1): -log(scale) over loc .. loc + scale, else -inf.
fn uniform_logpdf(x, loc=0.0, scale=1.0) = where(x >= loc and x <= loc + scale, -log(scale), -inf)
## stats.uniform_pdf(x, loc=0, scale=1): 1 / scale over loc .. loc + scale.
fn uniform_pdf(x, loc=0.0, scale=1.0) = exp(uniform_logpdf(x, loc, scale))
## stats.uniform_cdf(x, loc=0, scale=1): the part of loc .. loc + scale below x.
fn uniform_cdf(x, loc=0.0, scale=1.0) = clip((x - loc) / scale, 0, 1)

## stats.expon_logpdf(x, loc=0, scale=1): the logarithm of exp(-x); -inf below loc.
fn expon_logpdf(x, loc=0.0, scale=1.0) = where(x >= loc, -(x - loc) / scale - log(scale), -inf)
## stats.expon_pdf(x, loc=0, scale=1): exp(-x); 0 below loc.
fn expon_pdf(x, loc=0.0, scale=1.0) = exp(expon_logpdf(x, loc, scale))
## stats.expon_cdf(x, loc=0, scale=1): 1 - exp(-x).
fn expon_cdf(x, loc=0.0, scale=1.0) = where(x >= loc, -expm1(-(x - loc) / scale), 0.0)

## stats.laplace_logpdf(x, loc=0, scale=1): the logarithm of exp(-|x|) / 2.
fn laplace_logpdf(x, loc=0.0, scale=1.0) = -abs(x - loc) / scale - log(2 * scale)
## stats.laplace_cdf(x, loc=0, scale=1): its distribution function.
fn laplace_cdf(x, loc=0.0, scale=1.0) {
    let z = (x - loc) / scale
    let tail = 0.5 * exp(-abs(z))
    where(z < 0, tail, 1 - tail)
}
## stats.logistic_logpdf(x, loc=0, scale=1): the logarithm of the derivative of the logistic function.
fn logistic_logpdf(x, loc=0.0, scale=1.0) {
    let z = (x - loc) / scale
    -z - 2 * logaddexp(0.0, -z) - log(scale)
}
## stats.logistic_cdf(x, loc=0, scale=1): 1 / (1 + exp(-x)).
fn logistic_cdf(x, loc=0.0, scale=1.0) = logistic((x - loc) / scale)
## stats.cauchy_logpdf(x, loc=0, scale=1): the logarithm of 1 / (pi (1 + x^2)).
fn cauchy_logpdf(x, loc=0.0, scale=1.0) = -log(pi * scale) - log1p(((x - loc) / scale) ** 2)

## stats.cauchy_cdf(x, loc=0, scale=1): 1 / 2 + atan(x) / pi.
fn cauchy_cdf(x, loc=0.0, scale=1.0) = 0.5 + arctan((x - loc) / scale) / pi

## stats.gamma_logpdf(x, a, loc=0, scale=1): the logarithm of x^(a - 1) exp(-x) / gamma(a); -inf below loc.
fn gamma_logpdf(x, a, loc=0.0, scale=1.0) {
    let z = (x - loc) / scale
    let inside = where(z >= 0, z, 1.0)
    where(z >= 0, special.xlogy(a - 1, inside) - inside - lgamma(a) - log(scale), -inf)
}
## stats.gamma_pdf(x, a, loc=0, scale=1): exp of gamma_logpdf.
fn gamma_pdf(x, a, loc=0.0, scale=1.0) = exp(gamma_logpdf(x, a, loc, scale))
## stats.beta_logpdf(x, a, b): the logarithm of the beta density; -inf outside 0 .. 1.
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
## stats.beta_pdf(x, a, b, loc=0.0, scale=1.0): exp of beta_logpdf.
fn beta_pdf(x, a, b, loc=0.0, scale=1.0) = exp(beta_logpdf(x, a, b, loc, scale))
## stats.pareto_logpdf(x, b, loc=0, scale=1): the logarithm of b / x^(b + 1); -inf below 1.
fn pareto_logpdf(x, b, loc=0.0, scale=1.0) {
    let z = (x - loc) / scale
    where(z >= 1, log(b) - (b + 1) * log(where(z >= 1, z, 1.0)) - log(scale), -inf)
}
## stats.vonmises_logpdf(x, kappa): the logarithm of exp(kappa cos(x)) / (2 pi i0(kappa)), an angle around 0.
fn vonmises_logpdf(x, kappa) = kappa * (cos(x) - 1) - log(2 * pi * special.i0e(kappa))
## stats.t_logpdf(x, df, loc=0, scale=1): the logarithm of Student's density.
fn t_logpdf(x, df, loc=0.0, scale=1.0) {
    let z = (x - loc) / scale
    lgamma((df + 1) / 2) -
        lgamma(df / 2) -
        0.5 * log(df * pi) -
        log(scale) -
        (df + 1) / 2 * log1p(z ** 2 / df)
}
## stats.chi2_logpdf(x, df, loc=0.0, scale=1.0): the logarithm of the density of the sum of df squared normals.
fn chi2_logpdf(x, df, loc=0.0, scale=1.0) = gamma_logpdf(x, df / 2, loc, 2 * scale)

## stats.poisson_logpmf(k, mu): the logarithm of the probability of a count k with mean mu; the others likewise. -inf for what cannot be: also for k
## that is not whole.
fn poisson_logpmf(k, mu) {
    let there = _is_count(k)
    let n = where(there, k, 0)
    where(there, special.xlogy(n, mu) - mu - lgamma(n + 1.0), -inf)
}
fn _is_count(k) = k >= 0 and k == floor(k)
## stats.poisson_pmf(k, mu): exp of poisson_logpmf.
fn poisson_pmf(k, mu) = exp(poisson_logpmf(k, mu))
## stats.binom_logpmf(k, n, p): k of n, each with probability p.
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
## stats.binom_pmf(k, n, p): exp of binom_logpmf.
fn binom_pmf(k, n, p) = exp(binom_logpmf(k, n, p))
## stats.nbinom_logpmf(k, n, p): k failures before the success number n.
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
## stats.bernoulli_logpmf(k, p): k is 0 or 1.
fn bernoulli_logpmf(k, p) = where(k == 1, log(p), where(k == 0, log1p(-p), -inf))
## stats.geom_logpmf(k, p): the first success at trial k = 1, 2, ...
fn geom_logpmf(k, p) {
    let there = _is_count(k - 1)
    let before = where(there, k - 1, 0)
    where(there, special.xlog1py(before, -p) + log(p), -inf)
}

## stats.dirichlet_logpdf(x, alpha): f[..., n] of the simplex, f[n] -> f[...]; -inf where an element is below 0 or they do not add up to 1, up to 1e-6 or
## the rounding of n numbers.
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

## stats.multinomial_logpmf(k, n, p): counts k[..., m] of n trials with probabilities p f[m] -> f[...]; -inf where they do not add up to n.
fn multinomial_logpmf(k, n, p) {
    let there = _is_count(k)
    let i = where(there, k, 0)
    where(
        all(there, axis=-1) and sum(k, axis=-1) == n,
        lgamma(n + 1.0) + sum(special.xlogy(i, p) - lgamma(i + 1.0), axis=-1),
        -inf,
    )
}

## stats.multivariate_normal_logpdf(x, mean, cov): f[..., n], f[n], f[n, n] -> f[...].
fn multivariate_normal_logpdf(x, mean, cov) {
    let mean = _vector(mean, "stats.multivariate_normal_logpdf")
    let n = len(mean)
    if x.ndim == 0 or x.shape[-1] != n or cov.shape != (n, n) {
        _refuse(
            "`stats.multivariate_normal_logpdf` needs x f[..., n], mean f[n] and cov f[n, n], got {_type(x)}, {_type(mean)} and {_type(cov)}",
        )
    }
    let l = linalg.cholesky(cov)
    # the axes of x in front become columns of one system
    let columns = (x - mean).reshape(-1, n).T
    let z = linalg.solve_triangular(l, columns, lower=true)
    let squares = sum(z * z, axis=0).reshape(x.shape[:-1])
    -0.5 * squares - sum(log(diagonal(l))) - n * _half_log_2pi
}

# ---- data

## stats.sem(x, axis=0, ddof=1): the standard error of the mean.
fn sem(x, axis=0, ddof=1) {
    let s = std(x, axis=axis, ddof=ddof)
    s / sqrt(1.0 * _line_size(x, s))
}
## stats.entropy(pk, qk=none, base=none, axis=0): -sum(p log p) of probabilities, or with qk sum(p log(p / q)); both are scaled to add up to 1. base: of the
## logarithm, e by default.
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

## stats.zscore(x, axis=0, ddof=0): less the mean, divided by the standard deviation of axes (none: all).
fn zscore(x, axis=0, ddof=0) =
    (x - mean(x, axis=axis, keepdims=true)) / std(x, axis=axis, ddof=ddof, keepdims=true)

## How many elements of x each of those found was made of.
fn _line_size(x, found) =
    if array(found).size == 0 { 0 } else { array(x).size // array(found).size }
## stats.skew(x, axis=0, bias=true): the third standardized moment; without bias as that of a sample of at least 3.
fn skew(x, axis=0, bias=true) {
    let found = mean(zscore(x, axis=axis) ** 3, axis=axis)
    if bias { return found }
    let n = _line_size(x, found)
    if n < 3 { return found }
    found * sqrt(1.0 * n * (n - 1)) / (n - 2)
}
## stats.kurtosis(x, axis=0, fisher=true, bias=true): the fourth standardized moment, less 3 with fisher; without bias as that of a sample of at least 4.
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

## Two vectors of one size, as floats.
fn _paired(x, y, what) {
    let (x, y) = (_inexact(_vector(x, what)), _inexact(_vector(y, what)))
    if len(x) != len(y) {
        _refuse("`{what}` needs vectors of one size, got {_type(x)} and {_type(y)}")
    }
    (x, y)
}
## stats.pearsonr(x, y): the correlation of two vectors.
fn pearsonr(x, y) {
    let (x, y) = _paired(x, y, "stats.pearsonr")
    mean(zscore(x) * zscore(y))
}
## stats.spearmanr(x, y): the correlation of the ranks of two vectors.
fn spearmanr(x, y) {
    let (x, y) = _paired(x, y, "stats.spearmanr")
    pearsonr(rankdata(x), rankdata(y))
}

## stats.rankdata(x, method="average", axis=none): the rank of each element along an axis (none: of the flattened x), from 1. Equal elements have the mean of
## their ranks, f32 or f64; or by method their "min" or "max", "dense" without gaps, "ordinal" in the order they stand, i32. With a NaN on the
## line all means are NaN; to the methods of i32 it is greater than all numbers.
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

## stats.linregress(x, y): {slope, intercept, r} of the line nearest to the points.
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
    # a NaN leaves no mean rank on its line
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
