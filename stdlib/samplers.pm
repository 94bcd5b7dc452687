# Inner module of random: more samplers, with JAX's algorithms, names and arguments. The module random exports these
# functions under the same names.

## random.binomial(key, n, p, shape=none, dtype=f32): numbers of successes in n trials of probability p, dtype[shape].
## If shape is none, it is the shape to which n and p broadcast. With at most 10 expected successes (or failures, for
## p >= 0.5) it sums geometric gaps, else it uses rejection (Hormann 1993, BTRS). It is NaN where n is negative or NaN,
## or where p is outside of [0, 1] or NaN. It is inf where n is inf.
fn binomial(key, n, p, shape=none, dtype=f32) {
    let p = _inexact(array(p))
    let n = array(n).astype(p.dtype)
    let whole = if shape == none { broadcast_shapes(n.shape, p.shape) } else { shape }
    let (n, p) = (broadcast_to(n, whole), broadcast_to(p, whole))
    let low = p < 0.5
    let q = where(low, p, 1 - p)
    let bad = q < 0 or isnan(q)
    let q = where(bad, 0.01, q)
    let none_such = isnan(n) or n < 0
    let few = none_such or n * q <= 10
    let tries = floor(n)
    let found = where(
        few,
        _binomial_by_gaps(key, where(few, tries, 0), q),
        _binomial_by_rejection(key, where(few, 1e4, tries), where(few, 0.5, q)),
    )
    let found = where(bad or none_such, nan, where(isinf(n), inf, found))
    where(low or none_such or isinf(n), found, tries - found).astype(dtype)
}
fn _binomial_by_gaps(key, n, q) {
    let log_miss = log1p(-q)
    mut left = key
    mut count = 0 * q
    mut place = 0 * q
    while any(place <= n) {
        let pair = _random_split(left, 2)
        left = pair[1]
        count = where(place <= n, count + 1, count)
        place = place + ceil(log(random.uniform(pair[0], q.shape, dtype=q.dtype)) / log_miss)
    }
    count - 1
}
fn _binomial_by_rejection(key, n, q) {
    let spread = sqrt(n * q * (1 - q))
    let b = 1.15 + 2.53 * spread
    let a = -0.0873 + 0.0248 * b + 0.01 * q
    let center = n * q + 0.5
    let ratio = q / (1 - q)
    let alpha = (2.83 + 5.1 / b) * spread
    let mode = floor((n + 1) * q)
    let fixed =
        (mode + 0.5) * log((mode + 1) / (ratio * (n - mode + 1))) +
        _stirling_rest(mode) +
        _stirling_rest(n - mode)
    mut left = key
    mut found = 0 * q - 1
    mut accepted = q != q
    while any(not accepted) {
        let three = _random_split(left, 3)
        left = three[0]
        let u = random.uniform(three[1], q.shape, dtype=q.dtype) - 0.5
        let v = random.uniform(three[2], q.shape, dtype=q.dtype)
        let near = 0.5 - abs(u)
        let k = floor((2 * a / near + b) * u + center)
        let inside = k >= 0 and k <= n
        let height = log(v * alpha / (a / (near * near) + b))
        let bound =
            fixed +
            (n + 1) * log((n - mode + 1) / (n - k + 1)) +
            (k + 0.5) * log(ratio * (n - k + 1) / (k + 1)) -
            _stirling_rest(k) -
            _stirling_rest(n - k)
        let accept = (near >= 0.07 and v <= 0.92 - 4.2 / b) or (inside and height <= bound)
        found = where(accept, k, found)
        accepted = accepted or accept
    }
    found
}
## log(k!) minus Stirling's formula (k + 0.5) log(k + 1) - (k + 1) + log(2 pi) / 2.
fn _stirling_rest(k) {
    let small = clip(k, 0, 9)
    let exact =
        lgamma(small + 1) - ((small + 0.5) * log(small + 1) - (small + 1) + 0.9189385332046727)
    let square = (k + 1) * (k + 1)
    where(k <= 9, exact, (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / (k + 1))
}

## random.multinomial(key, n, p, shape=none, dtype=f32): the counts of each of k outcomes in n trials, dtype[..., k].
## p f[..., k] holds the probabilities of the outcomes, up to a common factor. `shape` is the shape of the result,
## including k. If it is none, it is that of p.
fn multinomial(key, n, p, shape=none, dtype=f32) {
    let p = _inexact(_of_rank_at_least(p, 1, "random.multinomial", "probabilities f[..., k]"))
    let whole = if shape == none { p.shape } else { shape }
    let p = moveaxis(broadcast_to(p, whole), -1, 0)
    let rest = cumsum(p, axis=0, reverse=true)
    let ratios = clip(p / where(rest == 0, 1, rest), 0, 1)
    let tries = broadcast_to(array(n).astype(p.dtype), whole[:-1])
    let keys = _random_split(key, len(p))
    let (_, counts) = scan(
        fn(left, (ratio, k)) {
            let count = binomial(k, left, ratio, dtype=p.dtype)
            (left - count, count)
        },
        tries,
        (ratios, keys),
    )
    moveaxis(counts, 0, -1).astype(dtype)
}

## random.f(key, dfnum, dfden, shape=none, dtype=f32): numbers of the F distribution, dtype[shape].
## Each is the quotient of two chi-square numbers, divided by their degrees of freedom `dfnum` and `dfden`. If shape is
## none, it is the shape to which dfnum and dfden broadcast.
fn f(key, dfnum, dfden, shape=none, dtype=f32) {
    let (num, den) = (array(dfnum).astype(dtype), array(dfden).astype(dtype))
    let whole = if shape == none { broadcast_shapes(num.shape, den.shape) } else { shape }
    let (of_den, of_num) = _random_split(key, 2)
    let above = random.chisquare(of_num, broadcast_to(num, whole), shape=whole, dtype=dtype) / num
    above / (random.chisquare(of_den, broadcast_to(den, whole), shape=whole, dtype=dtype) / den)
}
## random.wald(key, mean, shape=none, dtype=f32): numbers of the inverse Gaussian distribution, dtype[shape].
## `mean` is their mean, and their scale is 1. If shape is none, it is that of mean (Michael, Schucany and Haas 1976).
fn wald(key, mean, shape=none, dtype=f32) {
    let (first, second) = _random_split(key, 2)
    let m = array(mean).astype(dtype)
    let m = broadcast_to(m, if shape == none { m.shape } else { shape })
    let y = random.normal(first, m.shape, dtype=dtype) ** 2
    let x = m + m * m * y / 2 - m / 2 * sqrt(4 * m * y + m * m * y * y)
    where(random.uniform(second, m.shape, dtype=dtype) <= m / (m + x), x, m * m / x)
}
## random.generalized_normal(key, p, shape=(), dtype=f32): numbers with density proportional to exp(-|x|^p).
## The result is dtype[shape].
fn generalized_normal(key, p, shape=(), dtype=f32) {
    let (first, second) = _random_split(key, 2)
    let size = random.gamma(first, 1 / _inexact(array(p)), shape=shape, dtype=dtype)
    random.rademacher(second, shape, dtype=dtype) * size ** (1 / p)
}
## random.ball(key, d, p=2, shape=(), dtype=f32): uniformly distributed points of the unit ball of the p-norm.
## The result is dtype[..., d] with the leading axes `shape`, and the sum of |x|^p over the last axis is at most 1.
fn ball(key, d, p=2, shape=(), dtype=f32) {
    let (first, second) = _random_split(key, 2)
    let x = generalized_normal(
        first,
        p,
        shape=shape + (_count(d, "the `d` of `random.ball`"),),
        dtype=dtype,
    )
    let more = random.exponential(second, shape, dtype=dtype)
    x / ((sum(abs(x) ** p, axis=-1) + more) ** (1 / p))[..., none]
}
## random.double_sided_maxwell(key, loc, scale, shape=(), dtype=f32): loc + scale * m with random signs of m.
## m are numbers of the Maxwell distribution. The shape of the result is `shape` followed by the shape to which loc and
## scale broadcast. As in JAX, this shape occurs twice if `shape` is ().
fn double_sided_maxwell(key, loc, scale, shape=(), dtype=f32) {
    let params = broadcast_shapes(array(loc).shape, array(scale).shape)
    let whole = (if len(shape) == 0 { params } else { shape }) + params
    let (first, second) = _random_split(key, 2)
    let size = random.maxwell(first, whole, dtype=dtype)
    random.rademacher(second, whole, dtype=dtype) * size * scale + loc
}
