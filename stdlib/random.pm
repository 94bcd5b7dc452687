# Random numbers from explicit keys. The algorithms are JAX's over threefry: a key gives the same bits, uniform numbers
# and integers as in JAX. `key` is key[] everywhere. `shape` is the shape of the result. Where it is none, the result
# has the shape of the parameters. Where its default is (), array parameters must broadcast to it: one number is drawn
# for each element of `shape`. The default dtype is f32 for floats and i32 for integers.

## random.key(seed): the random key of an integer seed, key[].
fn key(seed) = _random_key(seed)

## random.split(key, num=2): new keys derived from a key, key[num].
## `num` may be a shape.
fn split(key, num=2) = _random_split(key, num)

## random.fold_in(key, data): a new key derived from a key and the integer `data`, key[].
fn fold_in(key, data) = _random_fold_in(key, data)

## random.clone(key): the key itself. In JAX it allows to use a key again.
fn clone(key) = key
## random.key_data(key): the two halves of keys, u32[..., 2]. It is the global key_data.
let key_data = key_data
## random.wrap_key_data(x): keys from their halves u32[..., 2]. It is the global wrap_key_data.
let wrap_key_data = wrap_key_data

## random.bits(key, shape=(), dtype=u32): uniform random bits, dtype[shape].
## The dtype is u8, u16, u32 or u64.
fn bits(key, shape=(), dtype=u32) = _random_bits(key, shape, dtype)

fn _unsigned(width) =
    if width == 8 { u8 } else if width == 16 { u16 } else if width == 32 { u32 } else { u64 }

fn _float(dtype) {
    if kind(dtype) != "dtype" or not _is_float(dtype) {
        let shape =
            if _is_numeric(dtype) { "; a shape of several sizes is one tuple, (2, 3)" } else { "" }
        _refuse("these random numbers are floats: `dtype` must be f16, bf16, f32 or f64, got {dtype}{shape}")
    }
    dtype
}

## random.uniform(key, shape=(), dtype=f32, minval=0.0, maxval=1.0): uniform numbers in [minval, maxval), dtype[shape].
## The dtype is f16, bf16, f32 or f64. minval above maxval is an error.
fn uniform(key, shape=(), dtype=f32, minval=0.0, maxval=1.0) {
    if _is_numeric(dtype) {
        _refuse("the `dtype` of `random.uniform` must be f16, bf16, f32 or f64, got {dtype}; bounds are named: minval=0.0, maxval=1.0; a shape of several sizes is one tuple, (2, 3)")
    }
    let rising = all(minval <= maxval)
    assert(
        rising,
        "the `minval` of `random.uniform` must be no greater than its `maxval`, got {minval} and {maxval}",
    )
    _uniform(key, shape, dtype=dtype, minval=minval, maxval=maxval)
}
## uniform without a check of the bounds. Random mantissa bits make a float in [1, 2), from which 1 is subtracted.
fn _uniform(key, shape, dtype=f32, minval=0.0, maxval=1.0) {
    let info = finfo(_float(dtype))
    let word = _unsigned(info.bits)
    let drawn = _random_bits(key, shape, if info.nmant < 8 { u8 } else { word }).astype(word)
    let kept =
        drawn >> full((), (if info.nmant < 8 { 8 } else { info.bits }) - info.nmant, dtype=word)
    let floats =
        bitcast_convert_type(kept | bitcast_convert_type(ones((), dtype=dtype), word), dtype) - 1
    let (low, high) = (array(minval).astype(dtype), array(maxval).astype(dtype))
    maximum(low, floats * (high - low) + low)
}

## random.normal(key, shape=(), dtype=f32): standard normal numbers; the dtype may be complex.
## The real and the imaginary part of complex numbers have variance 1/2.
fn normal(key, shape=(), dtype=f32) {
    if iscomplexobj(dtype) {
        let (first, second) = split(key)
        let part = _real_dtype(dtype)
        return complex(normal(first, shape, dtype=part), normal(second, shape, dtype=part)) /
            sqrt(2.0)
    }
    let dtype = _float(dtype)
    let below = nextafter(full((), -1, dtype=dtype), zeros((), dtype=dtype))
    let u = _uniform(key, shape, dtype=dtype, minval=below, maxval=1.0)
    1.4142135623730951 * erf_inv(u)
}

## random.truncated_normal(key, lower, upper, shape=(), dtype=f32): standard normal numbers truncated to (lower, upper).
## The result is dtype[shape]. `lower` must be less than `upper`.
fn truncated_normal(key, lower, upper, shape=(), dtype=f32) {
    let dtype = _float(dtype)
    let (low, high) = (array(lower).astype(dtype), array(upper).astype(dtype))
    let apart = all(low < high)
    assert(
        apart,
        "the `lower` of `random.truncated_normal` must be less than its `upper`, got {lower} and {upper}",
    )
    let (a, b) = (erf(low / 1.4142135623730951), erf(high / 1.4142135623730951))
    let x = 1.4142135623730951 * erf_inv(_uniform(key, shape, dtype=dtype, minval=a, maxval=b))
    let end = full((), inf, dtype=dtype)
    clip(x, nextafter(stop_gradient(low), end), nextafter(stop_gradient(high), -end))
}

## (an integer bound clipped to the range of the dtype, whether it was above the range).
fn _bound(x, dtype) {
    let info = iinfo(dtype)
    if x.dtype == u64 {
        if dtype == u64 { return (x, false) }
        return (minimum(x, u64(info.max)).astype(dtype), x > u64(info.max))
    }
    let wide = i64(x)
    if dtype == i64 { return (wide, false) }
    if dtype == u64 { return (maximum(wide, 0).astype(u64), false) }
    (clip(wide, info.min, info.max).astype(dtype), wide > info.max)
}

## random.randint(key, shape, minval, maxval, dtype=i32): uniform integers from minval to maxval - 1, dtype[shape].
## Two words of random bits are combined modulo the span, as in JAX. Where maxval <= minval, the result is minval.
## Bounds are clipped to the dtype (i32 for 8 and 16 bits, where larger results wrap around). If maxval is above the
## range of the dtype, its greatest integer is included.
fn randint(key, shape, minval, maxval, dtype=i32) {
    if kind(dtype) != "dtype" or not _is_integer(dtype) {
        _refuse(
            "`random.randint` gives integers: `dtype` must be i8 ... i64 or u8 ... u64, got {dtype}; random.uniform gives floats",
        )
    }
    for bound in (minval, maxval) {
        if not _is_numeric(bound) or not _is_integer(bound) {
            _refuse("the bounds of `random.randint` must be integers, got {_type(bound)}")
        }
    }
    let wide = if iinfo(dtype).bits < 32 { i32 } else { dtype }
    let word = _unsigned(iinfo(wide).bits)
    let (first, second) = _random_split(key, 2)
    let (high_bits, low_bits) =
        (_random_bits(first, shape, word), _random_bits(second, shape, word))
    let (low, _) = _bound(minval, wide)
    let (high, above) = _bound(maxval, wide)
    let some = high > low
    let count = high.astype(word) - low.astype(word)
    let one = ones((), dtype=word)
    # A span of 0 means the full range of words. Then no remainder is taken.
    let span = where(some, where(above, count + one, count), one)
    let rest = fn(x) = where(span == 0, x, x % maximum(span, one))
    let half = rest(full((), 2 ** (iinfo(wide).bits // 2), dtype=word))
    let multiplier = rest(half * half)
    let offset = rest(rest(high_bits) * multiplier + rest(low_bits))
    (low.astype(word) + offset).astype(wide).astype(dtype)
}

## x shuffled along an axis, each line independently, by sorting with random 32-bit keys. Several rounds make the
## effect of ties negligible.
fn _shuffle(key, x, axis=0) {
    mut left = key
    mut y = x
    for _ in tuple(0.._rounds(x.size)) {
        let keys = _random_split(left, 2)
        left = keys[0]
        y = take_along_axis(y, argsort(_random_bits(keys[1], x.shape, u32), axis=axis), axis=axis)
    }
    y
}

## The number of rounds of _shuffle for n elements, as in JAX: ceil(3 ln(n) / ln(2^32 - 1)).
fn _rounds(n) {
    let n = _known(n)
    if n <= 1 { 0 } else if n <= 1625 { 1 } else if n <= 2642245 { 2 } else { 3 }
}

## random.permutation(key, x, axis=0, independent=false): x in random order along an axis.
## A scalar integer x gives a permutation of 0 .. x - 1. independent=true shuffles each line along the axis
## independently.
fn permutation(key, x, axis=0, independent=false) {
    if not _is_numeric(x) {
        _refuse("`random.permutation` needs an array, or a number for the integers below it, got {kind(x)}")
    }
    if x.ndim == 0 { return _shuffle(key, arange(_count(x, "the `x` of `random.permutation`"))) }
    let axis = _axes(axis, x.ndim)[0]
    if independent or x.ndim == 1 { return _shuffle(key, x, axis=axis) }
    take(x, _shuffle(key, arange(x.shape[axis])), axis=axis)
}

## random.shuffle(key, x, axis=0): x in random order along an axis, permutation(key, x, axis).
fn shuffle(key, x, axis=0) = permutation(key, x, axis=axis)

## random.choice(key, a, shape=(), replace=true, p=none, axis=0): elements of a along axis, or of 0 .. a - 1.
## The range is for a scalar integer `a`. The shape of the result is that of `a` with `shape` in place of the axis.
## `p` f[n] holds the probabilities of the elements, up to a common factor. They are equal if p is none. replace=false
## draws without replacement. Then more than n draws are an error.
fn choice(key, a, shape=(), replace=true, p=none, axis=0) {
    let p = if p == none { none } else { _inexact(p) }
    let axis = if a.ndim == 0 { 0 } else { _axes(axis, a.ndim)[0] }
    let n = if a.ndim == 0 { _count(a, "the `a` of `random.choice`") } else { a.shape[axis] }
    let count = zeros(shape).size
    if n == 0 and count > 0 { _refuse("`random.choice` has nothing to choose from: `a` is empty") }
    if p != none {
        if p.shape != (n,) {
            _refuse("the `p` of `random.choice` must hold one probability for each of {_counted(n, "element", "elements")}, got {_type(p)}")
        }
        assert(
            all(p >= 0) and any(p > 0),
            "the `p` of `random.choice` must hold no number below 0, and one above",
        )
    }
    if not replace and count > n {
        _refuse("`random.choice` without replacement cannot draw {count} of {_counted(n, "element", "elements")}")
    }
    if p == none and not replace {
        let mixed = permutation(key, a, axis=axis)
        let s = mixed.shape
        return slice_in_dim(mixed, 0, count, axis=axis).reshape(
            s[:axis] + zeros(shape).shape + s[axis + 1:],
        )
    }
    let picked = if p == none {
        randint(key, shape, 0, n)
    } else if replace {
        let sums = cumsum(p)
        searchsorted(sums, sums[-1] * (1 - uniform(key, shape, dtype=p.dtype)))
    } else {
        top_k(gumbel(key, (n,), dtype=p.dtype) + log(p), count)[1].reshape(shape)
    }
    if a.ndim == 0 { picked } else { take(a, picked, axis=axis) }
}

## random.bernoulli(key, p=0.5, shape=none): booleans that are true with probability p, bool[shape].
## If shape is none, it is the shape of p.
fn bernoulli(key, p=0.5, shape=none) {
    let p = array(_probabilities(p, "the `p` of `random.bernoulli`"))
    uniform(
        key,
        if shape == none { p.shape } else { shape },
        dtype=if _is_float(p) { p.dtype } else { f32 },
    ) <
        p
}

## random.gumbel(key, shape=(), dtype=f32): standard Gumbel numbers, dtype[shape].
## They are -log(-log(u)) with u uniform in (0, 1).
fn gumbel(key, shape=(), dtype=f32) =
    -log(-log(_uniform(key, shape, dtype=dtype, minval=finfo(_float(dtype)).tiny, maxval=1.0)))

## random.categorical(key, logits, axis=-1, shape=none): indices drawn along an axis, i32[shape].
## Their probabilities are softmax(logits) along the axis.
## `shape` must end in the shape of `logits` without the axis, which is the default.
fn categorical(key, logits, axis=-1, shape=none) {
    let logits = _inexact(
        _of_rank_at_least(logits, 1, "random.categorical", "logits f[..., n]"),
    )
    let at = _axes(axis, logits.ndim)[0]
    if logits.shape[at] == 0 {
        _refuse("`random.categorical` has nothing to choose from: logits {_type(logits)}, axis {at}")
    }
    let batch = logits.shape[:at] + logits.shape[at + 1:]
    let whole = if shape == none { batch } else { shape }
    if len(whole) < len(batch) or whole[len(whole) - len(batch):] != batch {
        _refuse(
            "the `shape` of `random.categorical` ends in that of the logits without their axis, {batch}, got {whole}",
        )
    }
    let extra = whole[:len(whole) - len(batch)]
    # As in JAX, the noise keeps the axis at its position in `logits`.
    let drawn = gumbel(key, extra + logits.shape, dtype=logits.dtype)
    argmax(drawn + logits, axis=at + len(extra))
}

## random.exponential(key, shape=(), dtype=f32): exponential numbers with mean 1, dtype[shape].
fn exponential(key, shape=(), dtype=f32) = -log1p(-uniform(key, shape, dtype=dtype))

## random.laplace(key, shape=(), dtype=f32): Laplace numbers, of density exp(-|x|) / 2, dtype[shape].
fn laplace(key, shape=(), dtype=f32) {
    let u = _uniform(key, shape, dtype=dtype, minval=finfo(_float(dtype)).epsneg - 1, maxval=1.0)
    sign(u) * log1p(-abs(u))
}

## random.logistic(key, shape=(), dtype=f32): logistic numbers log(u / (1 - u)) with u uniform in (0, 1), dtype[shape].
fn logistic(key, shape=(), dtype=f32) {
    let u = _uniform(key, shape, dtype=dtype, minval=finfo(_float(dtype)).tiny, maxval=1.0)
    log(u) - log1p(-u)
}

## random.cauchy(key, shape=(), dtype=f32): Cauchy numbers, of density 1 / (pi (1 + x^2)), dtype[shape].
fn cauchy(key, shape=(), dtype=f32) =
    tan(pi * (_uniform(key, shape, dtype=dtype, minval=finfo(_float(dtype)).eps, maxval=1.0) - 0.5))

## random.rademacher(key, shape=(), dtype=i32): -1 or 1, each with probability 1/2, dtype[shape].
fn rademacher(key, shape=(), dtype=i32) = (2 * i32(bernoulli(key, 0.5, shape)) - 1).astype(dtype)

## The shape of a result: `shape`, or without one the common shape of the parameters.
fn _drawn_shape(shape, *parameters) =
    if shape == none { broadcast_shapes(*(array(p).shape for p in parameters)) } else { shape }

## random.pareto(key, b, shape=none, dtype=f32): Pareto numbers of density b / x^(b + 1) for x >= 1, dtype[shape].
## They are exp(e / b) with exponential numbers e. If shape is none, it is the shape of b. `b` must be above 0.
fn pareto(key, b, shape=none, dtype=f32) = exp(
    exponential(key, _drawn_shape(shape, b), dtype=dtype) /
    _positive(b, "the `b` of `random.pareto`"),
)
## random.weibull_min(key, scale, concentration, shape=(), dtype=f32): Weibull numbers, dtype[shape].
## They are scale * e^(1 / concentration) with exponential numbers e. `concentration` must be above 0.
fn weibull_min(key, scale, concentration, shape=(), dtype=f32) {
    let c = _positive(concentration, "the `concentration` of `random.weibull_min`")
    (-log1p(-uniform(key, shape, dtype=dtype))) ** (1.0 / c) * scale
}
## random.rayleigh(key, scale, shape=none, dtype=f32): Rayleigh numbers, dtype[shape].
## They are `scale` times the length of a vector of two standard normal numbers. If shape is none, it is the shape of
## scale.
fn rayleigh(key, scale, shape=none, dtype=f32) =
    scale * sqrt(-2 * log(uniform(key, _drawn_shape(shape, scale), dtype=dtype)))
## random.lognormal(key, sigma=1.0, shape=none, dtype=f32): log-normal numbers exp(sigma * normal), dtype[shape].
## If shape is none, it is the shape of sigma.
fn lognormal(key, sigma=1.0, shape=none, dtype=f32) =
    exp(normal(key, _drawn_shape(shape, sigma), dtype=dtype) * sigma)

## random.maxwell(key, shape=(), dtype=f32): Maxwell numbers, the lengths of vectors of three standard normal numbers.
## The result is dtype[shape].
fn maxwell(key, shape=(), dtype=f32) =
    sqrt(sum(normal(key, shape + (3,), dtype=dtype) ** 2, axis=-1))

## random.triangular(key, left, mode, right, shape=none, dtype=f32): numbers of a triangular distribution, dtype[shape].
## The density is a triangle over left .. right with its maximum at mode, left <= mode <= right.
## The bounds are numbers, or f[...] that broadcast to `shape`. If shape is none, it is their common shape.
fn triangular(key, left, mode, right, shape=none, dtype=f32) {
    assert(
        all(mode >= left) and all(mode <= right),
        "the `mode` of `random.triangular` must lie from its `left` to its `right`",
    )
    let u = uniform(key, _drawn_shape(shape, left, mode, right), dtype=dtype)
    let rising = left + sqrt(u * (right - left) * (mode - left))
    let falling = right - sqrt((1 - u) * (right - left) * (right - mode))
    where(u < (mode - left) / (right - left), rising, falling)
}

## random.geometric(key, p, shape=none, dtype=i32): numbers of trials up to the first success, from 1, dtype[shape].
## Each trial succeeds with probability p. If shape is none, it is the shape of p.
fn geometric(key, p, shape=none, dtype=i32) {
    let p = _probabilities(p, "the `p` of `random.geometric`")
    let u = uniform(key, _drawn_shape(shape, p))
    (floor(log(where(u == 0, 1.0, u)) / log1p(-p)) + 1).astype(dtype)
}

## The logarithm of one gamma number with shape parameter alpha. The derivative is taken at a fixed value of the
## distribution function: the number moves with its quantile, independently of rejections (implicit reparameterization,
## Figurnov, Mohamed and Mnih 2018). Second derivatives are NaN, because the slope has none here.
fn _log_gamma_one(key, alpha) {
    let a = stop_gradient(alpha)
    let z = _drawn_log_gamma(key, a)
    let moved = alpha - a
    # It is 0, with derivative 0. The second derivative is a difference of two infinities.
    let no_second = moved ** 1.5 - abs(moved) ** 1.5
    z + _quantile_slope(f64(a), f64(z)).astype(a.dtype) * moved + no_second
}
## dz / da of the quantile z = log(x): the terms x^(a + n) exp(-x) / gamma(a + n + 1) of the distribution function are
## differentiated by a and divided by the density. For a > 1000, where there are many terms, it is the derivative of
## Wilson and Hilferty's quantile (1931). Its error is 1e-6, and 3e-5 in the last millionth of the distribution.
fn _quantile_slope(a, z) {
    let long = a > 1000
    let x = exp(z)
    mut (c, psi, n) = (1 / a, digamma(a + 1), a + 1)
    mut (size, slope) = (0 * a, 0 * a)
    while not long and (n <= x + 1 or c > 1e-16 * size) {
        slope += c * (psi - z)
        size += c
        c *= x / n
        psi += 1 / n
        n += 1
    }
    let r = exp((z - log(a)) / 3)
    let q = 3 * sqrt(a) * (r - 1 + 1 / (9 * a))
    where(long, 1 / a + (1 / (3 * a * a) - q / (2 * a ** 1.5)) / r, slope)
}
## The logarithm of one gamma number by Marsaglia and Tsang (2000), as in JAX.
fn _drawn_log_gamma(key, alpha) {
    let boosted = alpha >= 1
    let a = where(boosted, alpha, alpha + 1)
    let d = a - 1.0 / 3.0
    let c = (1.0 / 3.0) / sqrt(d)
    let keys = _random_split(key, 2)
    mut left = keys[0]
    mut x2 = 0 * a
    mut v3 = 0 * a + 1
    mut u = 0 * a + 2
    while u >= 1 - 0.0331 * (x2 * x2) and log(u) >= x2 * 0.5 + d * (1 - v3 + log(v3)) {
        let three = _random_split(left, 3)
        left = three[0]
        mut x_key = three[1]
        mut x = 0 * a
        mut v = 0 * a - 1
        while v <= 0 {
            let pair = _random_split(x_key, 2)
            x_key = pair[0]
            x = normal(pair[1], (), dtype=a.dtype)
            v = 1 + x * c
        }
        x2 = x * x
        v3 = v * v * v
        u = uniform(three[2], (), dtype=a.dtype)
    }
    let e = -exponential(keys[1], (), dtype=a.dtype)
    log(d) + log(v3) + where(boosted or e == 0, 0.0, e * (1 / alpha))
}

## random.loggamma(key, a, shape=none, dtype=f32): logarithms of gamma numbers with shape parameter `a`, dtype[shape].
## They are finite also where the gamma numbers underflow. If shape is none, it is the shape of a. `a` must be above 0.
fn loggamma(key, a, shape=none, dtype=f32) {
    let alpha = array(a).astype(dtype)
    assert(
        not any(alpha <= 0),
        "the parameters of gamma, beta, Dirichlet, chi-square and t numbers must be above 0",
    )
    let alpha = if shape == none { alpha } else { broadcast_to(alpha, shape) }
    if alpha.size == 0 { return alpha }
    let keys = _random_split(key, alpha.size)
    vmap(_log_gamma_one)(keys, ravel(alpha)).reshape(alpha.shape)
}

## random.gamma(key, a, shape=none, dtype=f32): gamma numbers of density x^(a - 1) exp(-x) / gamma(a), dtype[shape].
## If shape is none, it is the shape of a. `a` must be above 0.
fn gamma(key, a, shape=none, dtype=f32) = exp(loggamma(key, a, shape=shape, dtype=dtype))

## random.beta(key, a, b, shape=none, dtype=f32): beta numbers, in [0, 1], dtype[shape].
## The density is proportional to x^(a - 1) (1 - x)^(b - 1), with `a` and `b` above 0. If shape is none, it is the
## shape to which a and b broadcast.
fn beta(key, a, b, shape=none, dtype=f32) {
    let whole = _drawn_shape(shape, a, b)
    let (first, second) = _random_split(key, 2)
    let x = loggamma(first, a, shape=whole, dtype=dtype)
    let y = loggamma(second, b, shape=whole, dtype=dtype)
    let top = maximum(x, y)
    exp(x - top) / (exp(x - top) + exp(y - top))
}

## random.dirichlet(key, alpha, shape=none, dtype=f32): Dirichlet vectors for alpha f[..., n], dtype[..., n].
## They are points of the simplex. `shape` is the shape of the leading axes, that of alpha if it is none.
## `alpha` must be above 0.
fn dirichlet(key, alpha, shape=none, dtype=f32) {
    let alpha = _of_rank_at_least(alpha, 1, "random.dirichlet", "alpha f[..., n]")
    let x = loggamma(
        key,
        alpha,
        shape=(if shape == none { alpha.shape[:-1] } else { shape }) + alpha.shape[-1:],
        dtype=dtype,
    )
    let e = exp(x - max(x, axis=-1, keepdims=true))
    e / sum(e, axis=-1, keepdims=true)
}

## random.chisquare(key, df, shape=none, dtype=f32): chi-square numbers with `df` degrees of freedom, dtype[shape].
## These are sums of df squared standard normal numbers. If shape is none, it is the shape of df.
fn chisquare(key, df, shape=none, dtype=f32) =
    2 * exp(loggamma(key, array(df) / 2, shape=shape, dtype=dtype))
## random.t(key, df, shape=(), dtype=f32): numbers of Student's t distribution, dtype[shape].
## `df` is the degrees of freedom.
fn t(key, df, shape=(), dtype=f32) {
    let (first, second) = _random_split(key, 2)
    let half = array(df).astype(dtype) / 2
    normal(first, shape, dtype=dtype) * sqrt(half / gamma(second, half, shape=shape, dtype=dtype))
}

## random.poisson(key, lam, shape=none, dtype=i32): Poisson counts with mean `lam`, dtype[shape].
## If shape is none, it is the shape of lam. The algorithms are JAX's: Knuth's for lam < 10, else
## transformed rejection.
## A negative lam is an error. A lam that is NaN gives -1.
fn poisson(key, lam, shape=none, dtype=i32) {
    let lam = array(lam) * 1.0
    assert(not any(lam < 0), "the `lam` of `random.poisson`, a mean of counts, must not be below 0")
    let lam = if shape == none { lam } else { broadcast_to(lam, shape) }
    let small = isnan(lam) or lam < 10
    let counts = where(
        small,
        _poisson_small(key, where(small, lam, 0.0)),
        _poisson_large(key, where(small, 1e5, lam)),
    )
    where(lam == 0, 0, counts).astype(dtype)
}
fn _poisson_small(key, lam) {
    mut left = key
    mut k = 0 * i32(lam)
    mut log_product = 0 * lam
    while any(log_product > -lam) {
        let pair = _random_split(left, 2)
        left = pair[0]
        k = where(log_product > -lam, k + 1, k)
        log_product = log_product + log(uniform(pair[1], lam.shape))
    }
    k - 1
}
fn _poisson_large(key, lam) {
    let log_lam = log(lam)
    let b = 0.931 + 2.53 * sqrt(lam)
    let a = -0.059 + 0.02483 * b
    let inv_alpha = 1.1239 + 1.1328 / (b - 3.4)
    let v_r = 0.9277 - 3.6224 / (b - 2)
    mut left = key
    mut found = 0 * lam - 1
    mut accepted = lam != lam
    while any(not accepted) {
        let three = _random_split(left, 3)
        left = three[0]
        let u = uniform(three[1], lam.shape) - 0.5
        let v = uniform(three[2], lam.shape)
        let shifted = 0.5 - abs(u)
        let k = floor((2 * a / shifted + b) * u + lam + 0.43)
        let s = log(v * inv_alpha / (a / (shifted * shifted) + b))
        let t = -lam + k * log_lam - lgamma(k + 1)
        let reject = k < 0 or (shifted < 0.013 and v > shifted)
        let accept = (shifted >= 0.07 and v <= v_r) or (not reject and s <= t)
        found = where(accept, k, found)
        accepted = accepted or accept
    }
    i32(found)
}

## random.multivariate_normal(key, mean, cov, shape=none, dtype=f32): normal vectors for a mean and a covariance.
## The shapes are mean f[..., n] and cov f[..., n, n] -> dtype[..., n]. `shape` is the shape of the leading axes. If it
## is none, those of mean and cov are broadcast. The Cholesky factor of cov multiplies standard normal vectors.
fn multivariate_normal(key, mean, cov, shape=none, dtype=f32) {
    let mean = _of_rank_at_least(mean, 1, "random.multivariate_normal", "a mean f[..., n]")
    let cov = _of_rank_at_least(cov, 2, "random.multivariate_normal", "a covariance f[..., n, n]")
    let n = mean.shape[-1]
    if cov.shape[-2:] != (n, n) {
        _refuse(
            "`random.multivariate_normal` needs a covariance f[..., n, n] for a mean f[..., n], got {_type(cov)} and {_type(mean)}",
        )
    }
    if n == 0 {
        _refuse("`random.multivariate_normal` needs at least one dimension, got a mean {_type(mean)}")
    }
    let whole = if shape == none { (mean[..., 0] + cov[..., 0, 0]).shape } else { shape }
    let z = normal(key, whole + (n,), dtype=dtype)
    mean.astype(dtype) + (linalg.cholesky(cov.astype(dtype)) @ z[..., none])[..., 0]
}

## random.orthogonal(key, n, shape=(), m=none, dtype=f32): random matrices with orthonormal columns, dtype[..., n, m].
## For m > n the rows are orthonormal. If m is none, it is n. `shape` is the shape of the leading axes. The matrices
## are uniformly distributed: they are the q of QR decompositions of normal matrices (Stewart 1980).
fn orthogonal(key, n, shape=(), m=none, dtype=f32) {
    let n = _count(n, "the `n` of `random.orthogonal`")
    let m = if m == none { n } else { _count(m, "the `m` of `random.orthogonal`") }
    let (long, short) = if n > m { (n, m) } else { (m, n) }
    let (q, r) = linalg.qr(normal(key, shape + (long, short), dtype=dtype))
    let d = diagonal(r, axis1=-2, axis2=-1)
    let x = q * where(d < 0, -1, 1).astype(dtype)[..., none, :]
    if n < m { x.mT } else { x }
}

# ---- more samplers: aliases of functions of the module samplers

## random.binomial(key, n, p, shape=none, dtype=f32): samplers.binomial.
let binomial = samplers.binomial
## random.multinomial(key, n, p, shape=none, dtype=f32): samplers.multinomial.
let multinomial = samplers.multinomial
## random.f(key, dfnum, dfden, shape=none, dtype=f32): samplers.f.
let f = samplers.f
## random.wald(key, mean, shape=none, dtype=f32): samplers.wald.
let wald = samplers.wald
## random.generalized_normal(key, p, shape=(), dtype=f32): samplers.generalized_normal.
let generalized_normal = samplers.generalized_normal
## random.ball(key, d, p=2, shape=(), dtype=f32): samplers.ball.
let ball = samplers.ball
## random.double_sided_maxwell(key, loc, scale, shape=(), dtype=f32): samplers.double_sided_maxwell.
let double_sided_maxwell = samplers.double_sided_maxwell

test "uniform numbers lie in their range" {
    let u = uniform(key(1), (1000,), minval=-2.0, maxval=3.0)
    assert(all(u >= -2 and u < 3))
    assert(abs(mean(u) - 0.5) < 0.2)
}

test "a permutation holds every number once" {
    assert(array_equal(sort(permutation(key(3), 2000)), arange(2000)))
    let x = arange(12).reshape(4, 3)
    assert(array_equal(sort(permutation(key(3), x), axis=0), x))
}

test "the same key gives the same numbers in every order of work" {
    let keys = split(key(7), 3)
    let rows = vmap(fn(k) = normal(k, (4,)))(keys)
    for i in 0..3 { assert(array_equal(rows[i], normal(keys[i], (4,)))) }
}

test "samplers have their means" {
    let n = 4000
    assert(abs(mean(normal(key(0), (n,)))) < 0.08)
    assert(abs(mean(exponential(key(1), (n,))) - 1) < 0.08)
    assert(abs(mean(gamma(key(2), full(n, 2.5))) - 2.5) < 0.15)
    assert(abs(mean(f32(poisson(key(3), full(n, 4.0)))) - 4) < 0.2)
    assert(abs(mean(f32(poisson(key(4), full(n, 40.0)))) - 40) < 0.5)
    assert(abs(mean(f32(bernoulli(key(5), 0.3, (n,)))) - 0.3) < 0.04)
}

test "a gamma number moves with its quantile" {
    # Expected values: jax.grad, and finite differences of scipy.special.gammaincinv at a fixed probability.
    let k = key(0)
    assert(allclose(grad(fn(a) = gamma(k, a))(2.0), 0.9656762, rtol=1e-4))
    let f = fn(p) = sum(dirichlet(k, p) * [1.0, 2.0, 3.0])
    assert(allclose(grad(f)([1.0, 2.0, 3.0]), [-0.27420798, -0.07272214, 0.13470463], rtol=1e-4))
    assert(allclose(jvp(fn(a) = gamma(k, a), (2.0,), (1.0,))[1], grad(fn(a) = gamma(k, a))(2.0)))
    assert(allclose(vmap(grad(fn(a) = gamma(k, a)))([2.0])[0], grad(fn(a) = gamma(k, a))(2.0)))
    assert(
        isfinite(grad(fn(a) = loggamma(k, a))(1e-3)) and isfinite(grad(fn(a) = gamma(k, a))(1e5)),
    )
    let (a, x) =
        (f64([2.0, 2.0, 300.0, 5000.0]), f64([0.14855474, 6.63835207, 299.66673259, 4999.66667062]))
    let slopes = vmap(_quantile_slope)(a, log(x))
    assert(allclose(slopes, [1.4963437, 0.28051776, 0.00333703969, 0.000200013334], rtol=1e-5))
}
