# Neural networks: activations, layers as functions of parameters, initialisers, losses. Arrays are f[...]; feature axes stand last.

# ---- activations, elementwise

## nn.relu(x): x where it is positive, else 0; its derivative at 0 is 0.
fn relu(x) = where(x <= 0, 0, x)
## nn.relu6(x): relu(x), no more than 6; at 6 the slope is 0. NaN stays.
fn relu6(x) = where(x >= 6, 6, relu(x))

## nn.sigmoid(x): 1 / (1 + exp(-x)).
fn sigmoid(x) = logistic(x)

## nn.log_sigmoid(x): log(sigmoid(x)), right also where sigmoid(x) is 0.
fn log_sigmoid(x) = -softplus(-x)

## nn.softplus(x): log(1 + exp(x)).
fn softplus(x) = logaddexp(x, 0)

## nn.soft_sign(x): x / (1 + |x|).
fn soft_sign(x) = x / (1 + abs(x))
## nn.hard_tanh(x): x between -1 and 1.
fn hard_tanh(x) = clip(x, -1, 1)
## nn.hard_sigmoid(x): relu6(x + 3) / 6.
fn hard_sigmoid(x) = relu6(x + 3) / 6
## nn.hard_swish(x): x * hard_sigmoid(x).
fn hard_swish(x) = x * hard_sigmoid(x)

## nn.silu(x): x * sigmoid(x).
fn silu(x) = x * sigmoid(x)
## nn.swish(x): as silu.
fn swish(x) = x * sigmoid(x)
## nn.mish(x): x * tanh(softplus(x)).
fn mish(x) = x * tanh(softplus(x))

## nn.gelu(x, approximate=true): x times the normal distribution function of x, by tanh or (approximate=false) by erf.
fn gelu(x, approximate=true) {
    if approximate {
        x * (0.5 * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x ** 3))))
    } else {
        x * (erfc(-x * 0.7071067811865476) / 2)
    }
}

## nn.elu(x, alpha=1.0): x above 0, alpha * (exp(x) - 1) below.
fn elu(x, alpha=1.0) = where(x > 0, x, alpha * expm1(where(x > 0, 0, x)))
## nn.celu(x, alpha=1.0): elu whose derivative is continuous for every alpha.
fn celu(x, alpha=1.0) = maximum(x, 0) + alpha * expm1(minimum(x, 0) / alpha)
## nn.selu(x): elu scaled so that activations keep mean 0 and variance 1.
fn selu(x) = 1.0507009873554805 * elu(x, 1.6732632423543772)
## nn.leaky_relu(x, negative_slope=0.01): x above 0, negative_slope * x below.
fn leaky_relu(x, negative_slope=0.01) = where(x >= 0, x, negative_slope * x)

## nn.glu(x, axis=-1): the first half times the sigmoid of the second.
fn glu(x, axis=-1) {
    let (a, b) = split(x, 2, axis=axis)
    a * sigmoid(b)
}

# ---- over an axis

## nn.softmax(x, axis=-1): exp(x) / sum(exp(x)) along axis.
fn softmax(x, axis=-1) {
    let e = exp(x - stop_gradient(max(x, axis=axis, keepdims=true)))
    e / sum(e, axis=axis, keepdims=true)
}

## nn.log_softmax(x, axis=-1): the logarithm of softmax.
fn log_softmax(x, axis=-1) {
    let y = x - stop_gradient(max(x, axis=axis, keepdims=true))
    y - log(sum(exp(y), axis=axis, keepdims=true))
}

## nn.standardize(x, axis=-1, epsilon=1e-5): less its mean, divided by its standard deviation along axis.
fn standardize(x, axis=-1, epsilon=1e-5) {
    let centred = x - mean(x, axis=axis, keepdims=true)
    centred * rsqrt(mean(centred ** 2, axis=axis, keepdims=true) + epsilon)
}

## nn.layer_norm(x, scale, bias, epsilon=1e-5): standardized over the last axis, then scaled and moved. scale, bias: f[d].
fn layer_norm(x, scale, bias, epsilon=1e-5) = standardize(x, epsilon=epsilon) * scale + bias

## nn.rms_norm(x, scale, epsilon=1e-6): divided by the root mean square over the last axis.
fn rms_norm(x, scale, epsilon=1e-6) =
    x * rsqrt(mean(x ** 2, axis=-1, keepdims=true) + epsilon) * scale

## nn.one_hot(x, num_classes, dtype=f32, axis=-1): the global one_hot.
let one_hot = one_hot

## nn.logsumexp(x, axis=none, b=none, keepdims=false): the global logsumexp.
let logsumexp = logsumexp

## nn.dropout(key, x, rate, train=true): zeroes each element with probability `rate` and divides the others by 1 - rate.
fn dropout(key, x, rate, train=true) {
    if not train { return x }
    let keep = random.bernoulli(key, 1.0 - rate, x.shape)
    where(keep, x / (1.0 - rate), zeros((), dtype=x.dtype))
}

# ---- initialisers: functions of (key, shape, dtype=f32). The last two axes of a shape are (inputs, outputs); axes before them are positions.

fn _fans(shape) {
    mut positions = 1
    for n in shape[:-2] { positions *= n }
    (shape[-2] * positions, shape[-1] * positions)
}

## nn.variance_scaling(scale, mode, distribution): an initialiser; mode "fan_in", "fan_out" or "fan_avg", distribution "normal", "truncated_normal" or "uniform".
fn variance_scaling(scale, mode, distribution) {
    let fan = _option(mode, "`mode`", ("fan_in", "fan_out", "fan_avg"))
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
    } else {
        (inputs + outputs) / 2
    }
    let variance = scale / fan
    if distribution == "normal" {
        random.normal(key, shape, dtype=dtype) * sqrt(variance)
    } else if distribution == "truncated_normal" {
        # the cut at two deviations makes the spread smaller; this is made up for
        random.truncated_normal(key, -2.0, 2.0, shape, dtype=dtype) *
            (sqrt(variance) / 0.87962566103423978)
    } else {
        random.uniform(key, shape, dtype=dtype, minval=-1.0, maxval=1.0) * sqrt(3 * variance)
    }
}

## nn.he_normal(key, shape, dtype=f32): truncated normal, variance 2 / inputs.
fn he_normal(key, shape, dtype=f32) = _scaled(key, shape, dtype, 2.0, "fan_in", "truncated_normal")
## nn.he_uniform(key, shape, dtype=f32): uniform, variance 2 / inputs.
fn he_uniform(key, shape, dtype=f32) = _scaled(key, shape, dtype, 2.0, "fan_in", "uniform")
## nn.glorot_normal(key, shape, dtype=f32): truncated normal, variance 2 / (inputs + outputs).
fn glorot_normal(key, shape, dtype=f32) =
    _scaled(key, shape, dtype, 1.0, "fan_avg", "truncated_normal")
## nn.glorot_uniform(key, shape, dtype=f32): uniform, variance 2 / (inputs + outputs).
fn glorot_uniform(key, shape, dtype=f32) = _scaled(key, shape, dtype, 1.0, "fan_avg", "uniform")
## nn.xavier_normal(key, shape, dtype=f32): as glorot_normal.
fn xavier_normal(key, shape, dtype=f32) = glorot_normal(key, shape, dtype)
## nn.xavier_uniform(key, shape, dtype=f32): as glorot_uniform.
fn xavier_uniform(key, shape, dtype=f32) = glorot_uniform(key, shape, dtype)
## nn.lecun_normal(key, shape, dtype=f32): truncated normal, variance 1 / inputs.
fn lecun_normal(key, shape, dtype=f32) =
    _scaled(key, shape, dtype, 1.0, "fan_in", "truncated_normal")
## nn.lecun_uniform(key, shape, dtype=f32): uniform, variance 1 / inputs.
fn lecun_uniform(key, shape, dtype=f32) = _scaled(key, shape, dtype, 1.0, "fan_in", "uniform")

# ---- layers: init gives a record of parameters, apply takes it

## nn.dense_init(key, inputs, outputs, init=he_normal): {w: f32[inputs, outputs], b: f32[outputs]}.
fn dense_init(key, inputs, outputs, init=he_normal) =
    {w: init(key, (inputs, outputs)), b: zeros(outputs)}

## nn.dense(p, x): x @ p.w + p.b, f[..., inputs] -> f[..., outputs].
fn dense(p, x) = x @ p.w + p.b

## nn.mlp_init(key, sizes, init=he_normal): parameters of dense layers between these sizes, a tuple of records.
fn mlp_init(key, sizes, init=he_normal) {
    let keys = tuple(random.split(key, len(sizes) - 1))
    (
        dense_init(k, inputs, outputs, init=init)
        for (k, (inputs, outputs)) in tuple(zip(keys, tuple(zip(sizes[:-1], sizes[1:]))))
    )
}

## nn.mlp(params, x, activation=relu): dense layers with the activation between them, none after the last. f[..., n] -> f[..., m].
fn mlp(params, x, activation=relu) {
    mut y = x
    for p in params[:-1] { y = activation(dense(p, y)) }
    dense(params[-1], y)
}

## nn.conv2d(x, w, strides=(1, 1), padding="SAME"): x f[n, h, w, c], kernel f[kh, kw, c, d] -> f[n, h', w', d]; padding "SAME" or "VALID", in
## letters of either case.
fn conv2d(x, w, strides=(1, 1), padding="SAME") {
    let padding = _option(_text_upper(padding), "`padding`", ("SAME", "VALID"))
    let (kh, kw) = (w.shape[0], w.shape[1])
    let (sh, sw) = (_known(strides[0]), _known(strides[1]))
    let wide = if padding == "SAME" { _same(_same(x, 1, kh, sh), 2, kw, sw) } else { x }
    let (h, v) = ((wide.shape[1] - kh) // sh + 1, (wide.shape[2] - kw) // sw + 1)
    mut y = zeros((x.shape[0], h, v, w.shape[3]), dtype=x.dtype)
    for i in tuple(0..kh) {
        for j in tuple(0..kw) {
            y = y + wide[:, i:i + (h - 1) * sh + 1:sh, j:j + (v - 1) * sw + 1:sw, :] @ w[i, j]
        }
    }
    y
}

## Zeros around one axis so that windows of k at stride s give ceil(n / s) results; the odd one goes behind.
fn _same(x, axis, k, s) {
    let (n, k, s) = (x.shape[axis], _known(k), _known(s))
    let missing = ((n + s - 1) // s - 1) * s + k - n
    let all = if missing > 0 { missing } else { 0 }
    pad(x, (if d == axis { (all // 2, all - all // 2) } else { (0, 0) } for d in tuple(0..x.ndim)))
}

## nn.max_pool(x, window=(2, 2), strides=none): maxima over windows of axes 1 and 2 of f[n, h, w, c], without padding; strides none: the window's.
fn max_pool(x, window=(2, 2), strides=none) = _pool(x, window, strides, maximum)
## nn.avg_pool(x, window=(2, 2), strides=none): means over windows of axes 1 and 2 of f[n, h, w, c], without padding.
fn avg_pool(x, window=(2, 2), strides=none) =
    _pool(x, window, strides, fn(a, b) = a + b) / (window[0] * window[1])
fn _pool(x, window, strides, join) {
    let (kh, kw) = (_known(window[0]), _known(window[1]))
    let (sh, sw) = if strides == none { (kh, kw) } else { (_known(strides[0]), _known(strides[1])) }
    let (h, v) = ((x.shape[1] - kh) // sh + 1, (x.shape[2] - kw) // sw + 1)
    let parts = (
        x[:, i // kw:i // kw + (h - 1) * sh + 1:sh, i % kw:i % kw + (v - 1) * sw + 1:sw, :]
        for i in tuple(0..kh * kw)
    )
    mut y = parts[0]
    for p in parts[1:] { y = join(y, p) }
    y
}

## nn.attention(q, k, v, mask=none): softmax(q k' / sqrt(d)) v, f[..., n, d], f[..., m, d], f[..., m, e] -> f[..., n, e]; mask bool[..., n, m] keeps where true.
fn attention(q, k, v, mask=none) {
    let scores = q @ k.mT / sqrt(1.0 * q.shape[-1])
    let kept = if mask == none { scores } else { where(mask, scores, finfo(scores).min) }
    softmax(kept, axis=-1) @ v
}

# ---- losses: one number for each example

## nn.softmax_cross_entropy(logits, labels): -sum(labels * log_softmax(logits)); labels are probabilities, f[..., n] -> f[...].
fn softmax_cross_entropy(logits, labels) = -sum(labels * log_softmax(logits), axis=-1)

## nn.cross_entropy(logits, labels): the same for labels that are class numbers, f[..., n], i32[...] -> f[...].
fn cross_entropy(logits, labels) = -sum(
    where(array(labels)[..., none] == arange(logits.shape[-1]), log_softmax(logits), 0),
    axis=-1,
)

## nn.sigmoid_cross_entropy(logits, labels): labels from 0 to 1, elementwise.
fn sigmoid_cross_entropy(logits, labels) =
    -labels * log_sigmoid(logits) - (1 - labels) * log_sigmoid(-logits)

## nn.mse(predictions, targets): the mean squared error, one number.
fn mse(predictions, targets) = mean((predictions - targets) ** 2)
## nn.mae(predictions, targets): the mean absolute error, one number.
fn mae(predictions, targets) = mean(abs(predictions - targets))

## nn.huber(predictions, targets, delta=1.0): squared near, linear far, elementwise.
fn huber(predictions, targets, delta=1.0) {
    let error = abs(predictions - targets)
    let near = minimum(error, delta)
    0.5 * near ** 2 + delta * (error - near)
}

test "activations at known places" {
    assert(allclose(relu([-1.0, 0.0, 2.0]), [0, 0, 2]))
    assert(
        isnan(relu6(nan)) and
        isnan(hard_sigmoid(nan)) and
        allclose(relu6([-1.0, 3.0, 7.0]), [0, 3, 6]),
    )
    assert(grad(relu6)(6.0) == 0 and grad(relu6)(5.0) == 1 and grad(relu6)(0.0) == 0)
    assert(allclose(sigmoid(0.0), 0.5))
    assert(allclose(softplus([0.0, 100.0]), [log(2.0), 100]))
    assert(allclose(gelu(1.0), 0.841192) and allclose(gelu(1.0, approximate=false), 0.8413447))
    assert(allclose(elu(-1.0), exp(-1.0) - 1))
    assert(allclose(sum(softmax([1.0, 2.0, 1000.0])), 1))
    assert(allclose(exp(log_softmax([1.0, 2.0, 3.0])), softmax([1.0, 2.0, 3.0])))
}

test "layer_norm has mean 0 and variance 1" {
    let x = random.normal(random.key(0), (5, 64)) * 3 + 2
    let y = layer_norm(x, ones(64), zeros(64))
    assert(allclose(mean(y, axis=-1), 0, atol=1e-5) and allclose(var(y, axis=-1), 1, atol=1e-4))
}

test "cross_entropy of class numbers is that of their one_hot" {
    let logits = random.normal(random.key(1), (6, 4))
    let labels = [0, 3, 2, 1, 1, 0]
    assert(
        allclose(cross_entropy(logits, labels), softmax_cross_entropy(logits, one_hot(labels, 4))),
    )
}

test "a convolution is a sum over windows" {
    let x = arange(16.0).reshape(1, 4, 4, 1)
    let w = ones((3, 3, 1, 1))
    assert(allclose(conv2d(x, w, padding="VALID")[0, :, :, 0], [[45, 54], [81, 90]]))
    assert(conv2d(x, w).shape == (1, 4, 4, 1))
    assert(array_equal(conv2d(x, w, padding="same"), conv2d(x, w)))
    assert(allclose(max_pool(x)[0, :, :, 0], [[5, 7], [13, 15]]))
    assert(allclose(avg_pool(x)[0, :, :, 0], [[2.5, 4.5], [10.5, 12.5]]))
}

test "dropout keeps the mean" {
    let y = dropout(random.key(2), ones((100, 100)), 0.25)
    assert(abs(mean(y) - 1) < 0.03)
}
