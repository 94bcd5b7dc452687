# Neural networks: activations, normalization, initialisers, layers as functions of their parameters, losses.
# Arrays are f[...] of any floating dtype; results keep it. Feature axes are last. Tests: tests/library/nn.pm.

# ---- activations, elementwise

## nn.relu(x): x where it is positive, else 0; its derivative at 0 is 0.
fn relu(x) = where(x <= 0, 0, x)
## nn.relu6(x): min(relu(x), 6), elementwise. The derivative at 6 is 0. NaN is kept.
fn relu6(x) = where(x >= 6, 6, relu(x))

## nn.sigmoid(x): 1 / (1 + exp(-x)).
fn sigmoid(x) = logistic(x)

## nn.log_sigmoid(x): log(sigmoid(x)), accurate also where sigmoid(x) underflows to 0.
fn log_sigmoid(x) = -softplus(-x)

## nn.softplus(x): log(1 + exp(x)).
fn softplus(x) = logaddexp(x, 0)

## nn.soft_sign(x): x / (1 + |x|).
fn soft_sign(x) = x / (1 + abs(x))
## nn.hard_tanh(x): x clipped to [-1, 1]. The derivative at -1 and at 1 is 1.
fn hard_tanh(x) = where(x > 1, 1, where(x < -1, -1, x))
## nn.hard_sigmoid(x): relu6(x + 3) / 6.
fn hard_sigmoid(x) = relu6(x + 3) / 6
## nn.hard_swish(x): x * hard_sigmoid(x).
fn hard_swish(x) = x * hard_sigmoid(x)

## nn.silu(x): x * sigmoid(x).
fn silu(x) = x * sigmoid(x)
## nn.swish(x): x * sigmoid(x), the same function as nn.silu.
let swish = silu
## nn.mish(x): x * tanh(softplus(x)).
fn mish(x) = x * tanh(softplus(x))

## nn.gelu(x, approximate=true): x times the normal distribution function at x.
## It is approximated by tanh, or computed by erfc if approximate=false.
fn gelu(x, approximate=true) {
    let x = _number(x)
    if approximate {
        x * (0.5 * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x ** 3))))
    } else {
        x * (erfc(-x * 0.7071067811865476) / 2)
    }
}

## nn.elu(x, alpha=1.0): x where x > 0, alpha * (exp(x) - 1) elsewhere.
fn elu(x, alpha=1.0) = where(x > 0, x, alpha * expm1(where(x > 0, 0, x)))
## nn.celu(x, alpha=1.0): x where x > 0, alpha * (exp(x / alpha) - 1) elsewhere.
## The derivative is continuous for every `alpha`, unlike that of elu.
fn celu(x, alpha=1.0) = where(x > 0, x, alpha * expm1(where(x > 0, 0, x) / alpha))
## nn.selu(x): elu(x) scaled so that the activations of a network keep mean 0 and variance 1.
fn selu(x) = 1.0507009873554805 * elu(x, 1.6732632423543772)
## nn.leaky_relu(x, negative_slope=0.01): x where x >= 0, negative_slope * x elsewhere.
fn leaky_relu(x, negative_slope=0.01) = where(x >= 0, x, negative_slope * x)

## nn.glu(x, axis=-1): The first half of x along `axis` times the sigmoid of the second half, f[..., 2n] -> f[..., n].
## An odd size along `axis` is an error.
fn glu(x, axis=-1) {
    let x = _of_rank_at_least(x, 1, "nn.glu", "x f[...]")
    if _length(x, axis) % 2 != 0 {
        _refuse("`nn.glu` needs an even size along axis {_axes(axis, x.ndim)[0]}, got {_type(x)}")
    }
    let (a, b) = split(x, 2, axis=axis)
    a * sigmoid(b)
}

## nn.squareplus(x, b=4): (x + sqrt(x^2 + b)) / 2, a smooth approximation of relu without exponentials.
fn squareplus(x, b=4) {
    let x = _number(x)
    0.5 * (x + sqrt(x ** 2 + b))
}
## nn.sparse_plus(x): 0 for x <= -1, x for x >= 1, (x + 1)^2 / 4 between.
fn sparse_plus(x) = where(x <= -1, 0, where(x >= 1, x, 0.25 * (x + 1) ** 2))
## nn.sparse_sigmoid(x): (x + 1) / 2 clipped to [0, 1], the derivative of sparse_plus.
fn sparse_sigmoid(x) = where(x <= -1, 0, where(x >= 1, 1, 0.5 * (x + 1)))
## nn.log1mexp(x): log(1 - exp(-x)) for x >= 0, accurate for small and for large x. It is NaN for x < 0.
fn log1mexp(x) {
    let x = _inexact(array(x))
    where(x < 0.6931471805599453, log(-expm1(-x)), log1p(-exp(-x)))
}
## nn.hard_silu(x): x * hard_sigmoid(x), the same function as nn.hard_swish.
let hard_silu = hard_swish
## nn.identity(x): x.
fn identity(x) = x
## nn.tanh(x): The hyperbolic tangent, the global function tanh.
let tanh = tanh

# ---- functions along an axis

## nn.softmax(x, axis=-1, where=none): exp(x) / sum(exp(x)) along `axis`, computed without overflow.
## Elements for which the mask `where` is false get 0 and do not count in the sum.
fn softmax(x, axis=-1, where=none) {
    if where != none { return _masked_softmax(_inexact(array(x)), axis, where, exp) }
    if array(x).size == 0 { return _inexact(array(x)) }
    let e = exp(x - stop_gradient(max(x, axis=axis, keepdims=true)))
    e / sum(e, axis=axis, keepdims=true)
}

## nn.log_softmax(x, axis=-1, where=none): The logarithm of softmax(x) along `axis`, computed without overflow.
## Elements for which the mask `where` is false get -inf.
fn log_softmax(x, axis=-1, where=none) {
    if where != none { return _masked_softmax(_inexact(array(x)), axis, where, fn(y) = y) }
    if array(x).size == 0 { return _inexact(array(x)) }
    let y = x - stop_gradient(max(x, axis=axis, keepdims=true))
    y - log(sum(exp(y), axis=axis, keepdims=true))
}
## f of the log_softmax of the elements where `mask` is true; f(-inf) elsewhere.
fn _masked_softmax(x, axis, mask, f) {
    # Masked elements may have any value, NaN included: they must not reach a derivative.
    # If a slice has no unmasked element, the logarithm is that of 1 instead of the empty sum.
    let some = any(broadcast_to(mask, x.shape), axis=axis, keepdims=true)
    let low = finfo(x).min
    let top = stop_gradient(max(where(mask, x, low), axis=axis, keepdims=true))
    let y = where(mask, x, top) - top
    let s = sum(where(mask, exp(y), 0), axis=axis, keepdims=true)
    where(mask, f(y - log(where(some, s, 1))), f(full((), -inf, dtype=x.dtype)))
}

## nn.standardize(x, axis=-1, mean=none, variance=none, epsilon=1e-5, where=none): (x - mean) / sqrt(variance +
## epsilon) along `axis`, with x's shape. Without `mean` or `variance` they are computed along `axis`, from the
## elements where the mask `where` is true. The variance is the mean squared distance from `mean`. This function and
## the norms below compute f16 and bf16 in f32, because the squares of these dtypes overflow.
fn standardize(x, axis=-1, mean=none, variance=none, epsilon=1e-5, where=none) {
    let x = _inexact(x)
    let centred = _wide(x) - (if mean == none { _mean(_wide(x), axis, where) } else { mean })
    let v = if variance == none { _mean(centred ** 2, axis, where) } else { variance }
    _like(centred * rsqrt(v + epsilon), x)
}
fn _mean(x, axis, chosen) = mean(x, axis=axis, keepdims=true, where=chosen)

## nn.layer_norm(x, scale, bias=none, epsilon=1e-5): x standardized along the last axis, times `scale` f[d] plus `bias`
## f[d] unless it is none. x f[..., d] -> f[..., d]. nn.layer_norm(p, x) takes both from the record p of
## nn.layer_norm_init.
fn layer_norm(x, scale, bias=none, epsilon=1e-5) {
    if kind(x) == "record" {
        _norm_fits(x, ("scale", "bias"), bias, "nn.layer_norm")
        _features_fit(x.scale, scale, "nn.layer_norm")
        return layer_norm(scale, x.scale, x.bias, epsilon=epsilon)
    }
    _shifted(standardize(x, epsilon=epsilon) * scale, bias)
}
## nn.layer_norm_init(features, dtype=f32): The parameters {scale, bias} of layer_norm, ones and zeros f[features].
fn layer_norm_init(features, dtype=f32) =
    {scale: ones(features, dtype=dtype), bias: zeros(features, dtype=dtype)}

## Checks the form (p, x) of a norm: p has these fields, and there is no separate bias.
fn _norm_fits(p, fields, bias, what) {
    for name in fields {
        if not (name in p) {
            _refuse("`{what}` needs the parameters that {what}_init makes, a record of {_text_join(fields, ", ")}, got {_type(p)}")
        }
    }
    if bias != none { _refuse("`{what}` takes its bias from its parameters, or as an argument") }
}
fn _features_fit(scale, x, what) {
    let (scale, x) = (array(scale), array(x))
    if scale.ndim == 1 and len(scale) > 1 and (x.ndim == 0 or x.shape[-1] != len(scale)) {
        _refuse("`{what}` with parameters for {len(scale)} features cannot take {_type(x)}")
    }
}
fn _shifted(x, bias) = if bias == none { x } else { x + bias }

## nn.rms_norm(x, scale, epsilon=1e-6): x / sqrt(mean(x^2) + epsilon) * scale with the mean along the last axis.
## x f[..., d], scale f[d] -> f[..., d]. nn.rms_norm(p, x) takes scale from the record p of nn.rms_norm_init.
fn rms_norm(x, scale, epsilon=1e-6) {
    if kind(x) == "record" {
        _norm_fits(x, ("scale",), none, "nn.rms_norm")
        _features_fit(x.scale, scale, "nn.rms_norm")
        return rms_norm(scale, x.scale, epsilon=epsilon)
    }
    let x = _inexact(x)
    let wide = _wide(x)
    _like(wide * rsqrt(mean(wide ** 2, axis=-1, keepdims=true) + epsilon), x) * scale
}
## nn.rms_norm_init(features, dtype=f32): The parameters {scale} of rms_norm, ones f[features].
fn rms_norm_init(features, dtype=f32) = {scale: ones(features, dtype=dtype)}

## nn.group_norm(x, groups, scale, bias=none, epsilon=1e-5): x f[n, ..., c] standardized in groups of features, times
## `scale` f[c] plus `bias` f[c] unless it is none. The last axis is cut into `groups` equal parts. Mean and variance
## are those of one part and all axes between the first and the last (Wu and He 2018). An error if `groups` does not
## divide c. nn.group_norm(p, x, groups) takes scale and bias from the record p of nn.group_norm_init.
fn group_norm(x, second=none, scale=none, bias=none, epsilon=1e-5, groups=none) {
    let of_parameters = kind(x) == "record"
    let place = if of_parameters { scale } else { second }
    if (place == none) == (groups == none) or (if of_parameters { second } else { scale }) == none {
        _refuse("`nn.group_norm` takes (x, groups, scale), or (p, x, groups) with the record p of nn.group_norm_init")
    }
    let groups = if groups == none { place } else { groups }
    if of_parameters {
        _norm_fits(x, ("scale", "bias"), bias, "nn.group_norm")
        return group_norm(second, groups, x.scale, x.bias, epsilon)
    }
    let x = _of_rank_at_least(x, 2, "nn.group_norm", "x f[n, ..., c]")
    let (g, c) = (_count(groups, "the `groups` of `nn.group_norm`", least=1), x.shape[-1])
    if c % g != 0 {
        _refuse("`nn.group_norm` cannot cut {_counted(c, "feature", "features")} into {g} equal groups")
    }
    let parts = x.reshape(x.shape[:-1] + (g, c // g))
    let whole = standardize(parts, axis=tuple(range(1, x.ndim - 1)) + (-1,), epsilon=epsilon)
    _shifted(whole.reshape(x.shape) * scale, bias)
}
## nn.group_norm_init(features, dtype=f32): The parameters {scale, bias} of group_norm, ones and zeros f[features].
fn group_norm_init(features, dtype=f32) = layer_norm_init(features, dtype=dtype)

## nn.batch_norm_init(features, dtype=f32): The pair (params, state) of batch_norm.
## params is {scale, bias}, ones and zeros; state is the running {mean, var}, zeros and ones. All are f[features].
fn batch_norm_init(features, dtype=f32) {
    let (one, zero) = (ones(features, dtype=dtype), zeros(features, dtype=dtype))
    ({scale: one, bias: zero}, {mean: zero, var: one})
}

## nn.batch_norm(p, state, x, train=true, momentum=0.99, epsilon=1e-5, axis_name=none): The pair (y, state) of the
## standardized x f[..., c] and the new state. x is standardized over all axes but the last, then multiplied by p.scale
## and shifted by p.bias (Ioffe and Szegedy 2015). In training the mean and variance are those of the batch, and the
## new state is momentum * old + (1 - momentum) * batch. If train=false they are those of the state, which is returned
## unchanged. `axis_name` is the axis of a vmap or pmap over which the batch is distributed.
fn batch_norm(p, state, x, train=true, momentum=0.99, epsilon=1e-5, axis_name=none) {
    let x = _of_rank_at_least(x, 2, "nn.batch_norm", "x f[..., c]")
    let wide = _wide(_inexact(x))
    let dtype = result_type(_inexact(x), p.scale, p.bias)
    let standard =
        fn(m, v) = ((wide - m) * (rsqrt(_wide(v) + epsilon) * p.scale) + p.bias).astype(dtype)
    if not train { return (standard(state.mean, state.var), state) }
    let over = tuple(range(x.ndim - 1))
    let whole = fn(a) = if axis_name == none { a } else { pmean(a, axis_name) }
    let m = whole(mean(wide, axis=over))
    let v = whole(mean((wide - m) ** 2, axis=over))
    let kept = tree_map(
        fn(old, new) = (momentum * old + (1 - momentum) * new).astype(old.dtype),
        state,
        {mean: stop_gradient(m), var: stop_gradient(v)},
    )
    (standard(m, v), kept)
}

## nn.one_hot(x, num_classes, dtype=f32, axis=-1): The one-hot encoding of class indices x, the global function
## one_hot.
let one_hot = one_hot

## nn.logsumexp(x, axis=none, b=none, keepdims=false): log(sum(b * exp(x))) along `axis`, the global function
## logsumexp.
let logsumexp = logsumexp

## nn.logmeanexp(x, axis=none, where=none, keepdims=false): log(mean(exp(x))) along `axis`, without overflow.
## Elements for which the mask `where` is false do not count.
fn logmeanexp(x, axis=none, where=none, keepdims=false) {
    let x = array(x)
    let total = logsumexp(x, axis=axis, keepdims=keepdims, where=where)
    let one = ones(x.shape, dtype=total.dtype)
    total - log(sum(one, axis=axis, keepdims=keepdims, where=where))
}

## nn.dropout(key, x, rate, train=true): x with each element set to 0 with probability `rate` (0 to 1), the others
## divided by 1 - rate. If train=false the result is x. Source: Srivastava et al. 2014.
fn dropout(key, x, rate, train=true) {
    if not train { return x }
    let rate = _probabilities(
        _one_number(rate, "the `rate` of `nn.dropout`"),
        "the `rate` of `nn.dropout`",
    )
    let x = _inexact(x)
    let keep = random.bernoulli(key, 1.0 - rate, x.shape)
    where(keep, x / where(rate < 1, 1.0 - rate, 1.0), zeros((), dtype=x.dtype))
}

# ---- initialisers: functions of (key, shape, dtype=f32). The last two axes of a shape are (inputs, outputs).
# The axes before them are kernel positions: they multiply both counts, called inputs and outputs below.

## nn.zeros_init(key, shape, dtype=f32): An array of zeros of this shape and dtype.
fn zeros_init(key, shape, dtype=f32) = zeros(shape, dtype=dtype)
## nn.ones_init(key, shape, dtype=f32): An array of ones of this shape and dtype.
fn ones_init(key, shape, dtype=f32) = ones(shape, dtype=dtype)
## nn.constant_init(value): An initialiser that sets every element to `value`.
fn constant_init(value) = fn(key, shape, dtype=f32) = full(shape, value, dtype=dtype)
## nn.normal_init(stddev=0.01): An initialiser of normal numbers with mean 0 and standard deviation `stddev`.
fn normal_init(stddev=0.01) =
    fn(key, shape, dtype=f32) = random.normal(key, shape, dtype=dtype) * stddev
## nn.uniform_init(scale=0.01): An initialiser of uniform numbers in [0, scale).
fn uniform_init(scale=0.01) =
    fn(key, shape, dtype=f32) = random.uniform(key, shape, dtype=dtype) * scale

## nn.truncated_normal_init(stddev=0.01, lower=-2.0, upper=2.0): An initialiser of normal numbers within `lower` and
## `upper`, times `stddev`.
fn truncated_normal_init(stddev=0.01, lower=-2.0, upper=2.0) = fn(key, shape, dtype=f32) =
    random.truncated_normal(key, lower, upper, shape, dtype=dtype) * stddev

## nn.orthogonal_init(scale=1.0): An initialiser of random matrices with orthonormal columns, times `scale`.
## If the matrix has fewer rows than columns, its rows are orthonormal. All axes before the last are flattened into the
## row axis (Saxe et al. 2014). A shape of fewer than two axes is an error.
fn orthogonal_init(scale=1.0) = fn(key, shape, dtype=f32) {
    if kind(shape) != "tuple" or len(shape) < 2 {
        _refuse("`nn.orthogonal_init` needs a shape (..., inputs, outputs), got {shape}")
    }
    let (n, m) = (zeros(shape[:-1]).size, shape[-1])
    scale * random.orthogonal(key, n, m=m, dtype=dtype).reshape(shape)
}

## nn.delta_orthogonal_init(scale=1.0): An initialiser of kernels (k..., inputs, outputs) of convolutions over one, two
## or three axes: zeros, and at the middle position a matrix of orthogonal_init(scale) (Xiao et al. 2018). Another
## number of axes, or more inputs than outputs, is an error.
fn delta_orthogonal_init(scale=1.0) = fn(key, shape, dtype=f32) {
    if kind(shape) != "tuple" or len(shape) < 3 or len(shape) > 5 or shape[-2] > shape[-1] {
        _refuse("`nn.delta_orthogonal_init` needs a shape (k..., inputs, outputs) of 3 to 5 axes with inputs <= outputs, got {shape}")
    }
    let matrix = orthogonal_init(scale)(key, shape[-2:], dtype)
    let around = (((k - 1) // 2, k // 2) for k in shape[:-2])
    pad(matrix.reshape((1,) * (len(shape) - 2) + matrix.shape), around + ((0, 0), (0, 0)))
}

fn _fans(shape) {
    if kind(shape) != "tuple" or len(shape) < 2 {
        _refuse("an initialiser by inputs and outputs needs a shape (..., inputs, outputs), got {shape}")
    }
    mut positions = 1
    for n in shape[:-2] { positions *= n }
    (shape[-2] * positions, shape[-1] * positions)
}

## nn.variance_scaling(scale, mode, distribution): An initialiser of random numbers with mean 0 and variance scale / n.
## `mode` selects n: "fan_in" (inputs), "fan_out" (outputs), "fan_avg" (their mean) or "fan_geo_avg" (the square root
## of their product). `distribution` is "normal", "truncated_normal" (at two standard deviations) or "uniform". A shape
## of fewer than two axes is an error.
fn variance_scaling(scale, mode, distribution) {
    let fan = _option(mode, "`mode`", ("fan_in", "fan_out", "fan_avg", "fan_geo_avg"))
    let kinds = ("normal", "truncated_normal", "uniform")
    let drawn = _option(distribution, "`distribution`", kinds)
    fn(key, shape, dtype=f32) = _scaled(key, shape, dtype, scale, fan, drawn)
}

fn _scaled(key, shape, dtype, scale, mode, distribution) {
    let (inputs, outputs) = _fans(shape)
    let fan = if mode == "fan_in" {
        inputs
    } else if mode == "fan_out" {
        outputs
    } else if mode == "fan_avg" {
        (inputs + outputs) / 2
    } else {
        (1.0 * inputs * outputs) ** 0.5
    }
    let variance = scale / fan
    if distribution == "normal" {
        random.normal(key, shape, dtype=dtype) * sqrt(variance)
    } else if distribution == "truncated_normal" {
        # Truncation at two standard deviations reduces the standard deviation; the divisor restores it.
        random.truncated_normal(key, -2.0, 2.0, shape, dtype=dtype) *
            (sqrt(variance) / 0.87962566103423978)
    } else {
        random.uniform(key, shape, dtype=dtype, minval=-1.0, maxval=1.0) * sqrt(3 * variance)
    }
}

## nn.he_normal(key, shape, dtype=f32): Truncated normal random numbers with mean 0 and variance 2 / inputs.
fn he_normal(key, shape, dtype=f32) = _scaled(key, shape, dtype, 2.0, "fan_in", "truncated_normal")
## nn.he_uniform(key, shape, dtype=f32): Uniform random numbers with mean 0 and variance 2 / inputs.
fn he_uniform(key, shape, dtype=f32) = _scaled(key, shape, dtype, 2.0, "fan_in", "uniform")
## nn.kaiming_normal(key, shape, dtype=f32): Truncated normal random numbers, the same as nn.he_normal.
fn kaiming_normal(key, shape, dtype=f32) = he_normal(key, shape, dtype)
## nn.kaiming_uniform(key, shape, dtype=f32): Uniform random numbers, the same as nn.he_uniform.
fn kaiming_uniform(key, shape, dtype=f32) = he_uniform(key, shape, dtype)
## nn.glorot_normal(key, shape, dtype=f32): Truncated normal random numbers with mean 0 and variance
## 2 / (inputs + outputs).
fn glorot_normal(key, shape, dtype=f32) =
    _scaled(key, shape, dtype, 1.0, "fan_avg", "truncated_normal")
## nn.glorot_uniform(key, shape, dtype=f32): Uniform random numbers with mean 0 and variance 2 / (inputs + outputs).
fn glorot_uniform(key, shape, dtype=f32) = _scaled(key, shape, dtype, 1.0, "fan_avg", "uniform")
## nn.xavier_normal(key, shape, dtype=f32): Truncated normal random numbers, the same as nn.glorot_normal.
fn xavier_normal(key, shape, dtype=f32) = glorot_normal(key, shape, dtype)
## nn.xavier_uniform(key, shape, dtype=f32): Uniform random numbers, the same as nn.glorot_uniform.
fn xavier_uniform(key, shape, dtype=f32) = glorot_uniform(key, shape, dtype)
## nn.lecun_normal(key, shape, dtype=f32): Truncated normal random numbers with mean 0 and variance 1 / inputs.
fn lecun_normal(key, shape, dtype=f32) =
    _scaled(key, shape, dtype, 1.0, "fan_in", "truncated_normal")
## nn.lecun_uniform(key, shape, dtype=f32): Uniform random numbers with mean 0 and variance 1 / inputs.
fn lecun_uniform(key, shape, dtype=f32) = _scaled(key, shape, dtype, 1.0, "fan_in", "uniform")

# ---- layers: the init function returns a record of parameters, which the function of the layer takes as `p`

## The array init(key, shape) of an initialiser, or init(key, shape, dtype) for another dtype than f32.
fn _initial(init, key, shape, dtype) =
    if dtype == f32 { init(key, shape) } else { init(key, shape, dtype) }

## nn.dense_init(key, inputs, outputs, init=he_normal, dtype=f32): The parameters {w: dtype[inputs, outputs],
## b: dtype[outputs]} of a dense layer. w is init(key, (inputs, outputs)), b is zeros.
fn dense_init(key, inputs, outputs, init=he_normal, dtype=f32) =
    {w: _initial(init, key, (inputs, outputs), dtype), b: zeros(outputs, dtype=dtype)}

## nn.dense(p, x): x @ p.w + p.b, f[..., inputs] -> f[..., outputs]. A size of x other than that of p.w is an error.
fn dense(p, x) {
    let x = _of_rank_at_least(x, 1, "nn.dense", "x f[..., inputs]")
    if x.shape[-1] != p.w.shape[0] {
        _refuse("`nn.dense` with w {_type(p.w)} needs x f[..., {p.w.shape[0]}], got {_type(x)}")
    }
    matmul(x, p.w) + p.b
}

## nn.mlp_init(key, sizes, init=he_normal, dtype=f32): The parameters of len(sizes) - 1 dense layers, a tuple of records
## {w, b}. `sizes` is a tuple of two feature counts or more, as (784, 128, 10).
fn mlp_init(key, sizes, init=he_normal, dtype=f32) {
    if _is_numeric(sizes) and array(sizes).ndim == 1 {
        _refuse("`nn.mlp_init` needs its sizes as a tuple, as (784, 128, 10), got the array {sizes}")
    }
    if kind(sizes) != "tuple" or len(sizes) < 2 {
        _refuse("`nn.mlp_init` needs the sizes of two layers at least, as (784, 128, 10), got {sizes}")
    }
    let keys = tuple(random.split(key, len(sizes) - 1))
    (
        dense_init(k, inputs, outputs, init, dtype)
        for (k, (inputs, outputs)) in tuple(zip(keys, tuple(zip(sizes[:-1], sizes[1:]))))
    )
}

## nn.mlp(params, x, activation=relu): The output of successive dense layers, f[..., n] -> f[..., m].
## The activation is applied after each layer but the last.
fn mlp(params, x, activation=relu) {
    if kind(params) != "tuple" or len(params) == 0 {
        _refuse("`nn.mlp` needs the parameters that nn.mlp_init makes, a tuple of records")
    }
    mut y = x
    for p in params[:-1] { y = activation(dense(p, y)) }
    dense(params[-1], y)
}

# ---- convolution and pooling: functions of the module windows

## nn.conv(x, w, strides=1, padding="SAME", dilation=1, groups=1, precision=none): The convolution of x f[n, ..., c]
## with a kernel w f[k..., c / groups, d]. nn.conv(p, x, ...) takes the record p of nn.conv_init. The function
## windows.conv.
let conv = windows.conv
## nn.conv2d(x, w, strides=1, padding="SAME", dilation=1, groups=1, precision=none): The convolution of images
## f[n, h, w, c] with a kernel f[kh, kw, c / groups, d]. The function windows.conv2d.
let conv2d = windows.conv2d
## nn.conv_transpose(x, w, strides=1, padding="SAME", precision=none): The transposed convolution of x f[n, ..., c]
## with a kernel w f[k..., c, d]. The function windows.conv_transpose.
let conv_transpose = windows.conv_transpose
## nn.max_pool(x, window=2, strides=none, padding="VALID"): The maxima over windows of x f[n, ..., c].
## The function windows.max_pool.
let max_pool = windows.max_pool
## nn.avg_pool(x, window=2, strides=none, padding="VALID"): The means over windows of x f[n, ..., c].
## The function windows.avg_pool.
let avg_pool = windows.avg_pool

## nn.conv_init(key, sizes, inputs, outputs, groups=1, init=lecun_normal, dtype=f32): The parameters
## {w: dtype[sizes..., inputs / groups, outputs], b: dtype[outputs]} of a convolution. `sizes` is the tuple of the
## kernel's sizes. The layer is nn.conv(p, x), or nn.conv_transpose(p, x). b is zeros.
fn conv_init(key, sizes, inputs, outputs, groups=1, init=lecun_normal, dtype=f32) {
    let shape = tuple(sizes) + (inputs // _known(groups), outputs)
    {w: _initial(init, key, shape, dtype), b: zeros(outputs, dtype=dtype)}
}

# ---- embedding tables, attention

## nn.embedding_init(key, count, features, dtype=f32): The parameters {w: f[count, features]} of an embedding table.
## w has normal elements with variance 1 / features.
fn embedding_init(key, count, features, dtype=f32) =
    {w: variance_scaling(1.0, "fan_out", "normal")(key, (count, features), dtype)}

## nn.embedding(p, ids): The rows of the table p.w at the indices `ids`, i32[...] -> f[..., features].
## An index out of range is an error.
fn embedding(p, ids) {
    if not _is_numeric(ids) or not _is_integer(ids) {
        _refuse("`nn.embedding` needs numbers of rows, i32[...], got {_type(ids)}")
    }
    p.w[ids]
}

## nn.attention(q, k, v, mask=none): softmax(q k' / sqrt(d)) v, f[..., n, d], f[..., m, d],
## f[..., m, e] -> f[..., n, e]. The mask bool[..., n, m] is true for the keys that a query uses, as nn.causal_mask(n).
## The result for a query whose mask is all false is the mean of v. Scaled dot-product attention of Vaswani et al.
## 2017.
fn attention(q, k, v, mask=none) {
    let form = "q f[..., n, d], k f[..., m, d] and v f[..., m, e]"
    let q = _of_rank_at_least(q, 2, "nn.attention", form)
    let k = _of_rank_at_least(k, 2, "nn.attention", form)
    let v = _of_rank_at_least(v, 2, "nn.attention", form)
    if q.shape[-1] != k.shape[-1] or k.shape[-2] != v.shape[-2] {
        _refuse("`nn.attention` needs {form}, got {_type(q)}, {_type(k)} and {_type(v)}")
    }
    if mask != none and (not _is_numeric(mask) or array(mask).dtype != bool) {
        _refuse("the `mask` of `nn.attention` must be bool[..., n, m], true where it keeps, got {_type(mask)}: for what is added to the scores, compare first, as mask > -1")
    }
    let scores = matmul(q, k.mT) / sqrt(1.0 * q.shape[-1])
    let kept = if mask == none { scores } else { where(mask, scores, finfo(scores).min) }
    matmul(softmax(kept, axis=-1), v)
}

## nn.dot_product_attention(query, key, value, bias=none, mask=none, scale=none, is_causal=false,
## query_seq_lengths=none, key_value_seq_lengths=none, local_window_size=none, return_residual=false, block=128):
## softmax(scale query key' + bias) value for each head, with heads before features as in JAX: query f[b, t, n, h], key
## f[b, s, k, h], value f[b, s, k, e] -> f[b, t, n, e], or all without b. Each head of key and value serves n / k heads
## of query. bias f[b, n, t, s] and mask bool[b, n, t, s], true for the keys that a query uses, may have sizes 1.
## `scale` is 1 / sqrt(h) if it is none. With is_causal a query uses the keys up to its own position.
## `local_window_size` (left, right), or one number for both, is the greatest distance of keys from the query's
## position. `key_value_seq_lengths` i32[b] are numbers of keys that are used, `query_seq_lengths` i32[b] numbers of
## queries beyond which the result is 0. The result for a query without keys is the mean of value. With return_residual
## the result is (y, logsumexp f[b, t, n] of the scores). Keys are processed in blocks with a running maximum, also in
## the reverse derivative, which computes the scores again. So memory is proportional to t `block`, not t s. Forward
## mode is an error. Scores are f32 for f16 and bf16. Sources: Milakov and Gimelshein 2018, Rabe and Staats 2021, Dao
## et al. 2022.
fn dot_product_attention(
    query,
    key,
    value,
    bias=none,
    mask=none,
    scale=none,
    is_causal=false,
    query_seq_lengths=none,
    key_value_seq_lengths=none,
    local_window_size=none,
    return_residual=false,
    block=128,
) {
    _heads_fit(query, key, value)
    let (q, k, v) = (_batched_heads(a) for a in (query, key, value))
    let ((b, t, n, h), (s, kv)) = (q.shape, k.shape[1:3])
    let wide = fn(a) = _wide(_inexact(a))
    let factor = if scale == none { 1 / sqrt(1.0 * h) } else { scale }
    let rows = transpose(wide(q).reshape(b, t, kv, n // kv, h), (0, 2, 3, 1, 4)) * factor
    let heads = fn(a) = transpose(wide(a), (0, 2, 1, 3))[:, :, none]
    let grid =
        fn(a, what) = if a == none { none } else { _score_grid(array(a), (b, n, t, s), kv, what) }
    let most = _count(block, "the `block` of `nn.dot_product_attention`", least=1)
    let options = {
        block: if most < s { most } else { s },
        causal: is_causal,
        window: if local_window_size == none or kind(local_window_size) == "tuple" {
            local_window_size
        } else {
            (local_window_size, local_window_size)
        },
    }
    if mask != none and array(mask).dtype != bool {
        _refuse("the `mask` of `nn.dot_product_attention` must be bool[b, n, t, s], got {_type(mask)}: `bias` is added to the scores")
    }
    let lengths = fn(a) = if a == none { none } else { array(a).reshape(-1, 1, 1, 1, 1) }
    let (y, lse) = _attend(options)(
        rows,
        heads(k),
        heads(v),
        if bias == none { none } else { wide(grid(bias, "bias")) },
        grid(mask, "mask"),
        lengths(key_value_seq_lengths),
    )
    let used = lengths(query_seq_lengths)
    let y = if used == none { y } else { where(arange(t)[:, none] < used, y, 0) }
    let back =
        fn(a) = transpose(a, (0, 3, 1, 2) + (4,)[:a.ndim - 4]).reshape((b, t, n) + a.shape[4:])
    let drop = fn(a) = if array(query).ndim == 3 { a[0] } else { a }
    let out = drop(back(y)).astype(_inexact(array(query)).dtype)
    if return_residual { (out, drop(back(lse))) } else { out }
}
fn _batched_heads(a) = if array(a).ndim == 3 { array(a)[none] } else { array(a) }
fn _heads_fit(query, key, value) {
    let form = "query f[b, t, n, h], key f[b, s, k, h] and value f[b, s, k, e], or all without b"
    for a in (query, key, value) {
        if _of_rank_at_least(a, 3, "nn.dot_product_attention", form).ndim != array(query).ndim or
                array(a).ndim > 4 {
            _refuse("`nn.dot_product_attention` needs {form}, got {_type(query)}, {_type(key)} and {_type(value)}")
        }
    }
    let (q, k, v) = (array(a).shape for a in (query, key, value))
    if q[-1] != k[-1] or
            k[:-1] != v[:-1] or
            q[:-3] != k[:-3] or
            k[-3] == 0 or
            k[-2] == 0 or
            q[-2] % k[-2] != 0 {
        _refuse("`nn.dot_product_attention` needs {form}, where k divides n, got {_type(query)}, {_type(key)} and {_type(value)}")
    }
}
## a[b, n, t, s] as [b, k, n / k, t, s]; axes of size 1 are kept.
fn _score_grid(a, sizes, kv, what) {
    let a = if a.ndim == 3 { a[none] } else { a }
    mut fits = a.ndim == 4
    if fits {
        for (size, full) in tuple(zip(a.shape, sizes)) {
            if size != full and size != 1 { fits = false }
        }
    }
    if not fits {
        _refuse("the `{what}` of `nn.dot_product_attention` must have the shape {sizes}, or sizes 1 in it, got {_type(a)}")
    }
    let (b, n, t, s) = a.shape
    if n == 1 { a[:, :, none] } else { a.reshape(b, kv, n // kv, t, s) }
}

## The attention of scaled queries q f[b, k, g, t, h] to k f[b, k, 1, s, h] and v f[b, k, 1, s, e]:
## (y f[b, k, g, t, e], the logsumexp of the scores f[b, k, g, t]).
fn _attend(o) = custom_vjp(
    fn(q, k, v, bias, mask, lengths) = _attended(o, q, k, v, bias, mask, lengths),
    fn(q, k, v, bias, mask, lengths) {
        let (y, lse) = _attended(o, q, k, v, bias, mask, lengths)
        ((y, lse), (q, k, v, bias, mask, lengths, y, lse))
    },
    fn(saved, (dy, dlse)) = _attention_slopes(o, saved, dy, dlse),
)
## (scores, keep, at) of block i, whose keys begin at `at`. The last block also contains keys of the block before it:
## their scores are -inf. Other scores are the least float where `keep` is false.
fn _score_block(o, q, k, bias, mask, lengths, i) {
    let (t, s, n) = (q.shape[-2], k.shape[-2], o.block)
    let at = minimum(i * n, s - n)
    let (row, column) = (arange(t)[:, none], at + arange(n))
    let fresh = column >= i * n
    let part = fn(a) = if a.shape[-1] == 1 { a } else { a[..., at:+n] }
    let product = matmul(q, k[..., at:+n, :].mT)
    let scores = if bias == none { product } else { product + part(bias) }
    mut keep = fresh and row >= 0
    if mask != none { keep = keep and part(mask) }
    if lengths != none { keep = keep and column < lengths }
    if o.causal { keep = keep and column <= row }
    if o.window != none {
        keep = keep and column >= row - o.window[0] and column <= row + o.window[1]
    }
    (where(fresh, where(keep, scores, finfo(scores).min), -inf), keep, at)
}
fn _attended(o, q, k, v, bias, mask, lengths) {
    let (s, n) = (k.shape[-2], o.block)
    mut top = full(q.shape[:-1], -inf, dtype=q.dtype)
    mut total = zeros(q.shape[:-1], dtype=q.dtype)
    mut y = zeros(q.shape[:-1] + v.shape[-1:], dtype=q.dtype)
    for i in 0..(s + n - 1) // n {
        let (scores, _, at) = _score_block(o, q, k, bias, mask, lengths, i)
        let next = maximum(top, max(scores, axis=-1))
        let p = exp(scores - next[..., none])
        let fade = exp(top - next)
        total = total * fade + sum(p, axis=-1)
        y = y * fade[..., none] + matmul(p, v[..., at:+n, :])
        top = next
    }
    (y / total[..., none], top + log(total))
}
## The cotangents of the arguments of _attend, by blocks of keys.
fn _attention_slopes(o, (q, k, v, bias, mask, lengths, y, lse), dy, dlse) {
    let (s, n) = (k.shape[-2], o.block)
    let rest = dlse - sum(dy * y, axis=-1)
    mut (dq, dk, dv) = (zeros_like(q), zeros_like(k), zeros_like(v))
    mut dbias = if bias == none { none } else { zeros_like(bias) }
    for i in 0..(s + n - 1) // n {
        let (scores, keep, at) = _score_block(o, q, k, bias, mask, lengths, i)
        let p = exp(scores - lse[..., none])
        let slope = where(keep, p * (matmul(dy, v[..., at:+n, :].mT) + rest[..., none]), 0)
        dq = dq + matmul(slope, k[..., at:+n, :])
        dk = dk with [..., at:+n, :] += sum(matmul(slope.mT, q), axis=2, keepdims=true)
        dv = dv with [..., at:+n, :] += sum(matmul(p.mT, dy), axis=2, keepdims=true)
        if bias != none {
            mut over = ()
            for (axis, size) in tuple(enumerate(bias.shape)) {
                if size == 1 { over = over + (axis,) }
            }
            let change = sum(slope, axis=over, keepdims=true)
            dbias =
                if bias.shape[-1] == 1 { dbias + change } else { dbias with [..., at:+n] += change }
        }
    }
    (dq, dk, dv, dbias, none, none)
}

## nn.causal_mask(n): bool[n, n], true on and below the diagonal. Each position attends to itself and the earlier ones.
fn causal_mask(n) = tri(n, dtype=bool)

## nn.multi_head_attention_init(key, features, init=glorot_uniform, dtype=f32): The parameters {q, k, v, o} of
## multi-head attention. Each is a dense layer {w: dtype[features, features], b: dtype[features]}.
fn multi_head_attention_init(key, features, init=glorot_uniform, dtype=f32) {
    let (q, k, v, o) = random.split(key, 4)
    let layer = fn(key) = dense_init(key, features, features, init, dtype)
    {q: layer(q), k: layer(k), v: layer(v), o: layer(o)}
}

## nn.multi_head_attention(p, x, y, heads, mask=none): The attention of queries from x f[..., n, d] to keys and values
## from y f[..., m, d] -> f[..., n, d]. For self-attention y is x. Each of the `heads` heads uses d / heads features.
## The mask bool[n, m] or bool[..., heads, n, m] is true for the keys that a query uses. An error if `heads` does not
## divide d, or if x or y does not have this shape.
fn multi_head_attention(p, x, y, heads, mask=none) {
    let heads = _count(heads, "the `heads` of `nn.multi_head_attention`", least=1)
    let d = p.q.w.shape[-1]
    for a in (x, y) {
        if _of_rank_at_least(
                a,
                2,
                "nn.multi_head_attention",
                "x f[..., n, d] and y f[..., m, d]",
            ).shape[-1] !=
                d {
            _refuse("`nn.multi_head_attention` needs x f[..., n, {d}] and y f[..., m, {d}], got {_type(x)} and {_type(y)}")
        }
    }
    if d % heads != 0 {
        _refuse("`nn.multi_head_attention` cannot cut {_counted(d, "feature", "features")} into {heads} equal heads")
    }
    let cut = fn(a) = swapaxes(a.reshape(a.shape[:-1] + (heads, d // heads)), -3, -2)
    let z = attention(cut(dense(p.q, x)), cut(dense(p.k, y)), cut(dense(p.v, y)), mask=mask)
    dense(p.o, swapaxes(z, -3, -2).reshape(x.shape[:-1] + (d,)))
}

# ---- recurrent cells: functions (p, carry, x) -> (carry, y), for scan over time steps:
# scan(fn(c, x) = nn.gru_cell(p, c, x), h, xs)

fn _cell_init(key, inputs, units, gates, dtype) {
    let keys = random.split(key, _known(gates) + 1)
    let wh = concatenate(
        (random.orthogonal(keys[g + 1], units, dtype=dtype) for g in tuple(0.._known(gates))),
        axis=1,
    )
    {
        wx: lecun_normal(keys[0], (inputs, gates * units), dtype),
        wh: wh,
        b: zeros(gates * units, dtype=dtype),
    }
}

## Checks the parameters of a cell with `gates` gates against its init function's, its state h and its input x.
fn _cell_fits(p, h, x, gates, what, init) {
    let fields = if gates == 3 { ("wx", "wh", "b", "bn") } else { ("wx", "wh", "b") }
    let needs =
        "`{what}` needs the parameters that {init} makes, a record of {_text_join(fields, ", ")}"
    if kind(p) != "record" { _refuse("{needs}, got {_type(p)}") }
    for name in fields {
        if not (name in p) { _refuse("{needs}, got one of {_text_join(keys(p), ", ")}") }
    }
    let units = p.wh.shape[0]
    if p.wh.shape != (units, gates * units) {
        _refuse("{needs} with wh f[{units}, {gates * units}] for {_counted(units, "unit", "units")}, got wh {_type(p.wh)}")
    }
    let h = _of_rank_at_least(h, 1, what, "a state h f[..., {units}]")
    if h.shape[-1] != units { _refuse("`{what}` needs a state h f[..., {units}], got {_type(h)}") }
    let x = _of_rank_at_least(x, 1, what, "an input x f[..., {p.wx.shape[0]}]")
    if x.shape[-1] != p.wx.shape[0] {
        _refuse("`{what}` needs an input x f[..., {p.wx.shape[0]}], got {_type(x)}")
    }
}

## nn.rnn_init(key, inputs, units, dtype=f32): The parameters {wx: dtype[inputs, units], wh: dtype[units, units],
## b: dtype[units]} of rnn_cell.
fn rnn_init(key, inputs, units, dtype=f32) = _cell_init(key, inputs, units, 1, dtype)
## nn.rnn_cell(p, h, x, activation=tanh): The pair (h', h') with h' = activation(x wx + h wh + b).
## State h f[..., units], input x f[..., inputs] (Elman 1990).
fn rnn_cell(p, h, x, activation=tanh) {
    _cell_fits(p, h, x, 1, "nn.rnn_cell", "nn.rnn_init")
    let next = activation(matmul(x, p.wx) + matmul(h, p.wh) + p.b)
    (next, next)
}

## nn.gru_init(key, inputs, units, dtype=f32): The parameters {wx, wh, b, bn} of gru_cell. wx is dtype[inputs, 3 units],
## wh dtype[units, 3 units], b dtype[3 units], bn dtype[units]. The order of the gates is r, z, n.
fn gru_init(key, inputs, units, dtype=f32) =
    {.._cell_init(key, inputs, units, 3, dtype), bn: zeros(units, dtype=dtype)}
## nn.gru_cell(p, h, x): The pair (h', h') with the new state h' = (1 - z) n + z h of a gated recurrent unit.
## State h f[..., units], input x f[..., inputs]. The gates r and z are sigmoids, n = tanh(x wn + b + r (h un + bn)),
## where wn and un are the columns of wx and wh for n (Cho et al. 2014, in the form of cuDNN, PyTorch and Flax).
fn gru_cell(p, h, x) {
    _cell_fits(p, h, x, 3, "nn.gru_cell", "nn.gru_init")
    let (xr, xz, xn) = split(matmul(x, p.wx) + p.b, 3, axis=-1)
    let (hr, hz, hn) = split(matmul(h, p.wh), 3, axis=-1)
    let (r, z) = (sigmoid(xr + hr), sigmoid(xz + hz))
    let n = tanh(xn + r * (hn + p.bn))
    let next = (1 - z) * n + z * h
    (next, next)
}

## nn.lstm_init(key, inputs, units, dtype=f32): The parameters {wx, wh, b} of lstm_cell. wx is dtype[inputs, 4 units],
## wh dtype[units, 4 units], b dtype[4 units]. The order of the gates is i, f, g, o.
fn lstm_init(key, inputs, units, dtype=f32) = _cell_init(key, inputs, units, 4, dtype)
## nn.lstm_cell(p, (c, h), x): The pair ((c', h'), h') with c' = f c + i g and h' = o tanh(c').
## Cell state c and output h are f[..., units], the input x is f[..., inputs]. The gates i, f and o are sigmoids, g is
## a tanh (Hochreiter and Schmidhuber 1997, with the forget gate f of Gers et al. 2000).
fn lstm_cell(p, carry, x) {
    if kind(carry) != "tuple" or len(carry) != 2 {
        _refuse("`nn.lstm_cell` carries a pair (c, h), each f[..., units], got {_type(carry)}")
    }
    let (c, h) = carry
    _cell_fits(p, h, x, 4, "nn.lstm_cell", "nn.lstm_init")
    let (i, f, g, o) = split(matmul(x, p.wx) + matmul(h, p.wh) + p.b, 4, axis=-1)
    let cell = sigmoid(f) * c + sigmoid(i) * tanh(g)
    let next = sigmoid(o) * tanh(cell)
    ((cell, next), next)
}

# ---- losses: one number for each example, unless stated otherwise

## nn.softmax_cross_entropy(logits, labels): -sum(labels * log_softmax(logits)) along the last axis,
## f[..., n] -> f[...]. `labels` are class probabilities f[..., n].
fn softmax_cross_entropy(logits, labels) {
    if array(labels).ndim == 0 or array(labels).shape[-1] != logits.shape[-1] or (
            _is_integer(labels) and array(labels).ndim < logits.ndim
        ) {
        _refuse(
            "`nn.softmax_cross_entropy` needs logits f[..., n] and a probability for each class, f[..., n], got {_type(logits)} and {_type(labels)}; nn.cross_entropy takes class numbers",
        )
    }
    -sum(labels * log_softmax(logits), axis=-1)
}

## nn.cross_entropy(logits, labels): -log_softmax(logits) at the class indices `labels`, f[..., n], i32[...] -> f[...].
## The loss is 0 for a label outside 0 .. n - 1.
fn cross_entropy(logits, labels) {
    let labels = array(labels)
    if _is_float(labels) or logits.shape[:-1] != labels.shape {
        _refuse(
            "`nn.cross_entropy` needs logits f[..., n] and class numbers i32[...] of the shape in front, got {_type(logits)} and {_type(labels)}",
        )
    }
    -sum(where(labels[..., none] == arange(logits.shape[-1]), log_softmax(logits), 0), axis=-1)
}

## nn.sigmoid_cross_entropy(logits, labels): The binary cross-entropy of sigmoid(logits) and labels from 0 to 1,
## elementwise.
fn sigmoid_cross_entropy(logits, labels) =
    -labels * log_sigmoid(logits) - (1 - labels) * log_sigmoid(-logits)

## nn.mse(predictions, targets): The mean squared error of arrays of one shape, one number. The function metrics.mse.
let mse = metrics.mse
## nn.mae(predictions, targets): The mean absolute error of arrays of one shape, one number. The function metrics.mae.
let mae = metrics.mae

## nn.huber(predictions, targets, delta=1.0): 0.5 e^2 where |e| <= delta, delta (|e| - delta / 2) elsewhere,
## elementwise. e is predictions - targets.
fn huber(predictions, targets, delta=1.0) {
    let error = _number(abs(predictions - targets))
    let near = minimum(error, delta)
    0.5 * near ** 2 + delta * (error - near)
}

## nn.log_cosh(predictions, targets): log(cosh(predictions - targets)), elementwise, without overflow.
## It is quadratic for small errors and linear for large ones.
fn log_cosh(predictions, targets) {
    let error = _number(predictions - targets)
    logaddexp(error, -error) - log(2.0).astype(error.dtype)
}
## nn.hinge(scores, targets): max(0, 1 - scores * targets) for targets -1 or 1, elementwise.
fn hinge(scores, targets) = maximum(0, 1 - scores * targets)
## nn.kl_divergence(log_p, q): sum(q (log q - log_p)) along the last axis, the Kullback-Leibler divergence of q from p.
## log_p f[..., n] are logarithms of probabilities, q f[..., n] probabilities -> f[...]. A term with q = 0 is 0.
fn kl_divergence(log_p, q) {
    let log_p = where(q == 0 and not isfinite(log_p), 0, log_p)
    sum(q * log(where(q == 0, 1, q)) - q * log_p, axis=-1)
}
## nn.cosine_similarity(a, b, epsilon=1e-8): The cosine of the angle between vectors along the last axis,
## f[..., n] -> f[...]. A norm below `epsilon` counts as `epsilon`.
fn cosine_similarity(a, b, epsilon=1e-8) {
    let (a, b) = (_number(a), _number(b))
    let size = fn(x) = sqrt(maximum(sum(x * x, axis=-1), epsilon ** 2))
    sum(a * b, axis=-1) / (size(a) * size(b))
}
## nn.smooth_labels(labels, alpha): (1 - alpha) * labels + alpha / n, labels f[..., n] mixed with the uniform
## distribution. `alpha` is from 0 to 1.
fn smooth_labels(labels, alpha) {
    let labels = _of_rank_at_least(labels, 1, "nn.smooth_labels", "labels f[..., n]")
    let alpha = _probabilities(alpha, "the `alpha` of `nn.smooth_labels`")
    (1 - alpha) * labels + alpha / labels.shape[-1]
}

test "norms take their parameters first, as other layers" {
    let x = sin(arange(12.0)).reshape(2, 6)
    let p = {scale: 1 + arange(6.0), bias: -arange(6.0)}
    assert(array_equal(layer_norm(p, x), layer_norm(x, p.scale, p.bias)))
    assert(array_equal(layer_norm(layer_norm_init(6), x, epsilon=1.0), standardize(x, epsilon=1.0)))
    assert(array_equal(rms_norm(p, x), rms_norm(x, p.scale)))
    assert(array_equal(rms_norm(rms_norm_init(6), x), rms_norm(x, ones(6))))
    assert(array_equal(group_norm(p, x, 3), group_norm(x, 3, p.scale, p.bias)))
    assert(array_equal(group_norm(group_norm_init(6), x, 2), group_norm(x, 2, ones(6), zeros(6))))
}
