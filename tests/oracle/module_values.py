# Writes module_values.pm: the values of JAX, optax, SciPy or the published formula for functions of nn, optim, random, linalg, stats, ode, metrics, signal.
# python3 module_values.py > module_values.pm   (jax 0.10.2, optax 0.2.8, scipy 1.17.1, CPU)
import jax
import jax.numpy as jnp
import jax.scipy as jsp
import numpy as np
import optax
import scipy.signal
import scipy.stats
from jax import lax
from jax.experimental.ode import odeint

from expressions import write


def conv(x, w, strides=1, padding="SAME", dilation=1, groups=1):
    d, letters = x.ndim - 2, "DHW"[5 - x.ndim:]
    each = lambda n: (n,) * d if isinstance(n, int) else n
    return lax.conv_general_dilated(x, w, each(strides), padding, rhs_dilation=each(dilation), feature_group_count=groups,
                                    dimension_numbers=(f"N{letters}C", f"{letters}IO", f"N{letters}C"))


def pool(x, start, join, window, strides, padding):
    return lax.reduce_window(x, start, join, (1, *window, 1), (1, *strides, 1), padding)


def group_norm(x, groups):
    y = x.reshape(*x.shape[:-1], groups, -1)
    axes = (*range(1, x.ndim - 1), -1)
    m, v = y.mean(axes, keepdims=True), y.var(axes, keepdims=True)
    return ((y - m) / jnp.sqrt(v + 1e-5)).reshape(x.shape)


def gru(wx, wh, b, bn, h, x):
    u = len(bn)
    i, r = x @ wx + b, h @ wh
    s = lambda k: jax.nn.sigmoid(i[..., k * u:(k + 1) * u] + r[..., k * u:(k + 1) * u])
    n = jnp.tanh(i[..., 2 * u:] + s(0) * (r[..., 2 * u:] + bn))
    return (1 - s(1)) * n + s(1) * h


def lstm(wx, wh, b, c, h, x):
    i, f, g, o = jnp.split(x @ wx + h @ wh + b, 4, axis=-1)
    c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
    return jnp.stack([c, jax.nn.sigmoid(o) * jnp.tanh(c)])


def attention(q, k, v, mask=None):
    # JAX has the heads between positions and features
    put = lambda a: a[:, :, None, :]
    return jax.nn.dot_product_attention(put(q), put(k), put(v), mask=mask)[:, :, 0, :]


def optimised(o, dtype=jnp.float32):
    """Three parameters after five steps of optax on x^2 + x."""
    p = jnp.array([1.0, -2.0, 0.5], dtype)
    state = o.init(p)
    for _ in range(5):
        updates, state = o.update(2 * p + 1, state, p)
        p = optax.apply_updates(p, updates)
    return p


def auc(s, t):
    s, t = np.asarray(s), np.asarray(t)
    pairs = s[t][:, None] - s[~t][None]
    return np.mean(np.where(pairs == 0, 0.5, pairs > 0))


def wide(f):
    with jax.enable_x64(True):
        return f()


key = jax.random.key
names = dict(jnp=jnp, jax=jax, jsp=jsp, np=np, lax=lax, nn=jax.nn, r=jax.random, key=key, conv=conv, pool=pool, group_norm=group_norm, gru=gru, lstm=lstm,
             attention=attention, optax=optax, optimised=optimised, auc=auc, wide=wide, odeint=odeint, ss=scipy.signal, st=scipy.stats, inits=jax.nn.initializers)
setup = [
    ("x1", "random.normal(random.key(0), (2, 7, 3))", "r.normal(key(0), (2, 7, 3))"),
    ("x2", "random.normal(random.key(1), (2, 5, 6, 4))", "r.normal(key(1), (2, 5, 6, 4))"),
    ("x3", "random.normal(random.key(2), (1, 4, 3, 5, 2))", "r.normal(key(2), (1, 4, 3, 5, 2))"),
    ("w1", "random.normal(random.key(3), (3, 3, 2))", "r.normal(key(3), (3, 3, 2))"),
    ("w2", "random.normal(random.key(4), (3, 2, 4, 2))", "r.normal(key(4), (3, 2, 4, 2))"),
    ("w2g", "random.normal(random.key(5), (3, 3, 2, 6))", "r.normal(key(5), (3, 3, 2, 6))"),
    ("w3", "random.normal(random.key(6), (2, 2, 3, 2, 1))", "r.normal(key(6), (2, 2, 3, 2, 1))"),
    ("wx", "random.normal(random.key(7), (3, 8))", "r.normal(key(7), (3, 8))"),
    ("wh", "random.normal(random.key(8), (2, 8))", "r.normal(key(8), (2, 8))"),
    ("b", "random.normal(random.key(9), (8,))", "r.normal(key(9), (8,))"),
    ("c", "random.normal(random.key(10), (4, 2))", "r.normal(key(10), (4, 2))"),
    ("h", "random.normal(random.key(11), (4, 2))", "r.normal(key(11), (4, 2))"),
    ("xs", "random.normal(random.key(12), (4, 3))", "r.normal(key(12), (4, 3))"),
    ("s", "random.normal(random.key(13), (40,))", "r.normal(key(13), (40,))"),
    ("s2", "random.normal(random.key(14), (6, 5))", "r.normal(key(14), (6, 5))"),
    ("f", "[0.5, -1.0, 2.0]", "jnp.array([0.5, -1.0, 2.0])"),
    ("long", "sin(arange(12.0))", "jnp.sin(jnp.arange(12.0))"),
    ("a3", "random.normal(random.key(15), (2, 3, 3))", "r.normal(key(15), (2, 3, 3))"),
    ("b3", "random.normal(random.key(16), (2, 3, 2))", "r.normal(key(16), (2, 3, 2))"),
    ("p3", "[0.2, 0.3, 0.5]", "jnp.array([0.2, 0.3, 0.5])"),
    ("ties", "[2.0, 1.0, 2.0, 0.5, 2.0, 1.0]", "jnp.array([2.0, 1.0, 2.0, 0.5, 2.0, 1.0])"),
    ("seen", "[true, false, false, false, true, true]", "jnp.array([True, False, False, False, True, True])"),
    ("flat", "[0.0, 1.0, 1.0, 1.0, 0.0, 2.0, 1.0, 3.0, 3.0, 4.0, 4.0]", "jnp.array([0.0, 1.0, 1.0, 1.0, 0.0, 2.0, 1.0, 3.0, 3.0, 4.0, 4.0])"),
    ("iir_b", "[0.2, 0.3, 0.1]", "jnp.array([0.2, 0.3, 0.1])"), ("iir_a", "[2.0, -0.8, 0.3]", "jnp.array([2.0, -0.8, 0.3])"),
    ("sos", "[[0.2, 0.3, 0.1, 1.0, -0.4, 0.1], [1.0, 0.5, 0.0, 1.0, 0.2, 0.0]]", "jnp.array([[0.2, 0.3, 0.1, 1.0, -0.4, 0.1], [1.0, 0.5, 0.0, 1.0, 0.2, 0.0]])"),
]
down = "fn(o, start) { mut (p, t) = (start, o.init(start)) ; for _ in 0..5 { (p, t) = o.update(p, t, 2 * p + 1) } ; p }"
pairs = [
    ("nn.conv(x1, w1)", "conv(x1, w1)"), ('nn.conv(x1, w1, strides=2, padding="VALID")', 'conv(x1, w1, 2, "VALID")'),
    ("nn.conv(x1, w1, padding=2, dilation=2)", "conv(x1, w1, 1, [(2, 2)], 2)"), ("nn.conv(x2, w2)", "conv(x2, w2)"),
    ("nn.conv(x2, w2, strides=(2, 3))", "conv(x2, w2, (2, 3))"), ("nn.conv(x2, w2, padding=((1, 2), (0, 3)))", "conv(x2, w2, 1, [(1, 2), (0, 3)])"),
    ("nn.conv(x2, w2g, groups=2, dilation=(1, 2))", "conv(x2, w2g, 1, 'SAME', (1, 2), 2)"), ("nn.conv(x3, w3)", "conv(x3, w3)"),
    ("nn.conv2d(x2, w2, strides=2)", "conv(x2, w2, 2)"),
    ("grad(fn(w) = sum(nn.conv(x2, w, strides=2) ** 2))(w2)", "jax.grad(lambda w: (conv(x2, w, 2) ** 2).sum())(w2)"),
    *[(f'nn.conv_transpose(x2, w2, strides={n}, padding="{p}")', f'lax.conv_transpose(x2, w2, {n if "," in n else f"({n}, {n})"}, "{p}")') for n in ("1", "2", "(3, 2)") for p in ("SAME", "VALID")],
    ("nn.max_pool(x2)", "pool(x2, -jnp.inf, lax.max, (2, 2), (2, 2), 'VALID')"),
    ('nn.max_pool(x2, window=3, strides=2, padding="SAME")', "pool(x2, -jnp.inf, lax.max, (3, 3), (2, 2), 'SAME')"),
    ('nn.avg_pool(x3, window=(2, 1, 3), strides=1, padding="SAME")', "pool(x3, 0.0, lax.add, (2, 1, 3), (1, 1, 1), 'SAME') / 6"),
    ("nn.group_norm(x2, 2, ones(4), zeros(4))", "group_norm(x2, 2)"), ("nn.layer_norm(x1, ones(3), zeros(3))", "nn.standardize(x1)"),
    ("nn.attention(x1, x1 * 2, x1 + 1)", "attention(x1, x1 * 2, x1 + 1)"),
    ("nn.attention(x1, x1, x1, mask=nn.causal_mask(7))", "attention(x1, x1, x1, jnp.tril(jnp.ones((7, 7), bool)))"),
    ("nn.gru_cell({wx: wx[:, :6], wh: wh[:, :6], b: b[:6], bn: b[6:]}, h, xs)[1]", "gru(wx[:, :6], wh[:, :6], b[:6], b[6:], h, xs)"),
    ("stack(nn.lstm_cell({wx: wx, wh: wh, b: b}, (c, h), xs)[0])", "lstm(wx, wh, b, c, h, xs)"),
    ("nn.rnn_cell({wx: wx[:, :2], wh: wh[:, :2], b: b[:2]}, h, xs)[0]", "jnp.tanh(xs @ wx[:, :2] + h @ wh[:, :2] + b[:2])"),
    ("nn.orthogonal_init()(random.key(1), (3, 2, 4))", "inits.orthogonal()(key(1), (3, 2, 4))"), ("nn.orthogonal_init(2.0)(random.key(1), (2, 4))", "inits.orthogonal(2.0)(key(1), (2, 4))"),
    ("nn.normal_init(0.5)(random.key(1), (3, 2))", "inits.normal(0.5)(key(1), (3, 2))"), ("nn.uniform_init(0.5)(random.key(1), (3, 2))", "inits.uniform(0.5)(key(1), (3, 2))"),
    ("nn.embedding_init(random.key(1), 5, 3).w", "inits.variance_scaling(1.0, 'fan_in', 'normal', out_axis=0)(key(1), (5, 3))"),
    ("grad(fn(x) = sum(nn.hard_tanh(x)))([-2.0, -1.0, 0.5, 1.0])", "jax.grad(lambda x: nn.hard_tanh(x).sum())(jnp.array([-2.0, -1.0, 0.5, 1.0]))"),
    ("nn.squareplus(s)", "nn.squareplus(s)"), ("nn.hard_silu(s * 4)", "nn.hard_silu(s * 4)"),
    ("nn.kl_divergence(log(p3), [0.5, 0.5, 0.0])", "jnp.sum(jsp.special.rel_entr(jnp.array([0.5, 0.5, 0.0]), p3))"), ("nn.log_cosh(s, 0.0)", "jnp.log(jnp.cosh(s))"),
    *[(f"({down})(optim.{a}, [1.0, -2.0, 0.5])", f"optimised({c})") for a, c in [
        ("sgd(0.1)", "optax.sgd(0.1)"), ("momentum(0.1)", "optax.sgd(0.1, momentum=0.9)"), ("sgd(0.1, momentum=0.8, nesterov=true)", "optax.sgd(0.1, momentum=0.8, nesterov=True)"),
        ("sgd(optim.linear(0.2, 0.02, 4), momentum=0.8)", "optax.sgd(optax.linear_schedule(0.2, 0.02, 4), momentum=0.8)"), ("adam(0.1)", "optax.adam(0.1)"),
        ("adamw(0.1, weight_decay=0.01)", "optax.adamw(0.1, weight_decay=0.01)"), ("adamw(optim.linear(0.2, 0.02, 4))", "optax.adamw(optax.linear_schedule(0.2, 0.02, 4))"),
        ("rmsprop(0.1)", "optax.rmsprop(0.1)"), ("rmsprop(0.1, momentum=0.9)", "optax.rmsprop(0.1, momentum=0.9)"),
        ("rmsprop(optim.linear(0.2, 0.02, 4), momentum=0.9)", "optax.rmsprop(optax.linear_schedule(0.2, 0.02, 4), momentum=0.9)"), ("adagrad(0.1)", "optax.adagrad(0.1)"),
        ("lion(0.1, weight_decay=0.1)", "optax.lion(0.1, weight_decay=0.1)"), ("clipped(optim.sgd(0.1), 1.0)", "optax.chain(optax.clip_by_global_norm(1.0), optax.sgd(0.1))")]],
    *[(f"({down})(optim.{a}, f64([1.0, -2.0, 0.5]))", f"wide(lambda: optimised(optax.{c}, jnp.float64))") for a, c in [
        ("adam(0.1)", "adam(0.1)"), ("adamw(0.1, weight_decay=0.01)", "adamw(0.1, weight_decay=0.01)"), ("rmsprop(0.1, momentum=0.9)", "rmsprop(0.1, momentum=0.9)")]],
    *[(f"vmap(optim.{a})(arange(13))", f"jax.vmap(optax.{c})(jnp.arange(13))") for a, c in [
        ("linear(1.0, 0.2, 4)", "linear_schedule(1.0, 0.2, 4)"), ("polynomial(1.0, 0.1, 2, 4)", "polynomial_schedule(1.0, 0.1, 2, 4)"), ("exponential_decay(1.0, 10, 0.5)", "exponential_decay(1.0, 10, 0.5)"),
        ("cosine_decay(2.0, 10, alpha=0.1)", "cosine_decay_schedule(2.0, 10, alpha=0.1)"), ("warmup_cosine(1.0, 3, 10)", "warmup_cosine_decay_schedule(0.0, 1.0, 3, 10)"),
        ("piecewise_constant(1.0, (2, 4), (0.5, 0.1))", "piecewise_constant_schedule(1.0, {2: 0.5, 4: 0.1})")]],
    ("random.orthogonal(random.key(1), 4, shape=(2,), m=2)", "r.orthogonal(key(1), 4, (2,), m=2)"), ("random.orthogonal(random.key(1), 2, m=3)", "r.orthogonal(key(1), 2, m=3)"),
    ("random.multivariate_normal(random.key(2), p3, a3 @ a3.mT)", "r.multivariate_normal(key(2), p3, a3 @ a3.mT)"),
    *[(f"random.{f}(random.key(3), (5,), dtype={d})", f"wide(lambda: r.{f}(key(3), (5,), jnp.{n}))") for f, n, d in [("uniform", "float16", "f16"), ("uniform", "bfloat16", "bf16"), ("normal", "float16", "f16"), *[(f, "float64", "f64") for f in ("uniform", "normal", "exponential", "gumbel", "laplace")]]],
    *[(f"random.{f}", f"r.{f}".replace("random.key", "key")) for f in ("triangular(random.key(3), 0.0, 0.3, 1.0, (4,))", "pareto(random.key(3), 2.0, (4,))", "rayleigh(random.key(3), 2.0, (4,))", "maxwell(random.key(3), (4,))",
        "weibull_min(random.key(3), 2.0, 1.5, (4,))", "chisquare(random.key(3), 3.0, (4,))", "dirichlet(random.key(3), p3, (2,))", "t(random.key(3), 4.0, (4,))", "lognormal(random.key(3), 0.5, (4,))")],
    ("linalg.solve(a3, b3)", "jnp.linalg.solve(a3, b3)"), ("linalg.solve(a3[0], b3)", "jnp.linalg.solve(jnp.broadcast_to(a3[0], (2, 3, 3)), b3)"), ("linalg.inv(a3)", "jnp.linalg.inv(a3)"),
    ("linalg.det(a3)", "jnp.linalg.det(a3)"),
    *[(f"grad(linalg.det)({a})", f"jax.grad(jnp.linalg.det)(jnp.array({a}))") for a in ("[[0.0, 1.0], [0.0, 2.0]]", "[[0.0, 0.0], [3.0, 2.0]]", "[[0.0, 1.0, 2.0], [0.0, 3.0, 4.0], [0.0, 5.0, 7.0]]", "[[1.0, 2.0, 3.0], [2.0, 4.0, 6.5], [3.0, 6.0, 8.0]]")],
    ("hessian(linalg.det)(a3[0])", "jax.hessian(jnp.linalg.det)(a3[0])"),
    ("linalg.lu(a3)[1]", "jax.vmap(lambda a: jsp.linalg.lu(a)[1])(a3)"), ("linalg.expm(a3)", "jax.vmap(jsp.linalg.expm)(a3)"), ("linalg.matrix_power(a3, -2)", "jnp.linalg.matrix_power(a3, -2)"),
    ("linalg.lstsq(a3[0, :2], [1.0, 2.0])[0]", "jnp.linalg.lstsq(a3[0, :2], jnp.array([1.0, 2.0]))[0]"), ("linalg.cholesky(a3 @ a3.mT)", "jnp.linalg.cholesky(a3 @ a3.mT)"),
    ("linalg.solve_triangular(a3, b3, lower=true)", "jax.vmap(lambda a, b: jsp.linalg.solve_triangular(a, b, lower=True))(a3, b3)"),
    *[(f"stats.{a}_{f}({c})", f"jsp.stats.{a}.{f}({c})") for f, a, c in [
        ("logcdf", "norm", "s * 10"), ("sf", "norm", "s"), ("cdf", "laplace", "s"), ("cdf", "logistic", "s"), ("cdf", "cauchy", "s"), ("logpdf", "gamma", "s, 1.5"), ("pdf", "gamma", "s, 2.5, 0.5, 2.0"), ("logpdf", "beta", "s, 2.0, 1.0"),
        ("pdf", "beta", "s, 2.0, 3.0"), ("logpdf", "pareto", "s + 1, 2.0"), ("logpdf", "vonmises", "s, 2.0"), ("pdf", "expon", "s"), ("logpmf", "nbinom", "jnp.array([0, 3, -1]), 2.0, 0.3"), ("logpmf", "binom", "jnp.array([0, 3, 5, 6]), 5, 0.3"),
        ("pmf", "poisson", "jnp.array([0, 3, 5, 6]), 2.5"), ("logpdf", "multivariate_normal", "xs, p3, a3[0] @ a3[0].T"), ("logpmf", "multinomial", "jnp.array([1, 2, 2]), 5, p3")]],
    ("stats.dirichlet_logpdf(p3, f + 2)", "jsp.stats.dirichlet.logpdf(p3, f + 2)"), ("stats.dirichlet_logpdf([[0.2, 0.3, 0.6], [-0.2, 0.7, 0.5]], f + 2)", "jsp.stats.dirichlet.logpdf(jnp.array([[0.2, 0.3, 0.6], [-0.2, 0.7, 0.5]]).T, f + 2)"),
    ("stats.poisson_logpmf([2.5, 3.0], 3.0)", "jsp.stats.poisson.logpmf(jnp.array([2.5, 3.0]), 3.0)"), ("stats.binom_logpmf([2.5, 3.0], 5, 0.3)", "st.binom.logpmf([2.5, 3.0], 5, 0.3)"),
    ("stats.nbinom_logpmf([2.5, 3.0], 2.0, 0.3)", "st.nbinom.logpmf([2.5, 3.0], 2.0, 0.3)"), ("stats.geom_logpmf([2.5, 3.0], 0.3)", "st.geom.logpmf([2.5, 3.0], 0.3)"),
    ("stats.multinomial_logpmf([[1.5, 1.5, 2.0], [-1.0, 3.0, 3.0]], 5, p3)", "st.multinomial.logpmf([[1.5, 1.5, 2.0], [-1.0, 3.0, 3.0]], 5, np.asarray(p3, 'f8') / np.asarray(p3, 'f8').sum())"),
    ("stats.rankdata([[nan, 1.0], [2.0, 1.0]], axis=1)", "st.rankdata([[np.nan, 1.0], [2.0, 1.0]], axis=1)"),
    *[(f'stats.rankdata(ties, method="{m}")', f"st.rankdata(ties, '{m}')") for m in ("average", "min", "max", "dense", "ordinal")],
    ("stats.rankdata(s2, axis=0)", "st.rankdata(s2, axis=0)"), ("stats.spearmanr(ties, s[:6])", "st.spearmanr(ties, s[:6])[0]"), ("stats.sem(s2)", "st.sem(s2)"), ("stats.entropy(abs(s2))", "st.entropy(abs(s2))"),
    ("stats.skew(s)", "st.skew(s)"), ("stats.kurtosis(s)", "st.kurtosis(s)"), ("stats.zscore(s2, axis=1)", "st.zscore(s2, axis=1)"),
    ("ode.odeint(fn(y, t, k) = [y[1], -k * y[0] + t], [1.0, 0.0], [0.0, 0.5, 3.0], args=(2.0,))", "odeint(lambda y, t, k: jnp.stack([y[1], -k * y[0] + t]), jnp.array([1.0, 0.0]), jnp.array([0.0, 0.5, 3.0]), 2.0)"),
    ("slice(s2, (1, 0), (5, 4), (2, 3))", "lax.slice(s2, (1, 0), (5, 4), (2, 3))"), ("slice(s, (3,), (6,))", "lax.slice(s, (3,), (6,))"),
    ("metrics.roc_auc(ties, seen)", "auc(ties, seen)"),
    *[(f'signal.{f}({a}, {b}, mode="{m}")', f"ss.{f}({a}, {b}, '{m}')") for f in ("convolve", "correlate") for a, b in (("long", "f"), ("f", "long")) for m in ("full", "same", "valid")],
    *[(f'signal.{f}(s2, s2[:3, :2], mode="{m}")', f"ss.{f}(s2, s2[:3, :2], '{m}')") for f in ("convolve2d", "correlate2d") for m in ("full", "same", "valid")],
    *[(f"signal.{w}", f"ss.windows.{w}".replace("true", "True").replace("false", "False")) for w in (
        "hann(7)", "hann(6, sym=false)", "hamming(5)", "hamming(1)", "blackman(6)", "blackmanharris(7)", "bartlett(6)", "bartlett(5, sym=false)", "cosine(5)", "cosine(4, sym=false)", "gaussian(6, 1.5)", "kaiser(7, 5.0)", "kaiser(6, 8.0, sym=false)",
        "tukey(9)", "tukey(9, 2.0)", "tukey(6, 1.0)", "tukey(8, 0.3, sym=false)", "boxcar(3)", "general_hamming(6, 0.6)")],
    ('signal.get_window(("kaiser", 4.0), 6)', "ss.get_window(('kaiser', 4.0), 6)"), ('signal.get_window("hann", 6)', "ss.get_window('hann', 6)"),
    ("signal.lfilter(iir_b, iir_a, s)", "ss.lfilter(iir_b, iir_a, s)"), ("signal.lfilter(f, [2.0], s)", "ss.lfilter(f, [2.0], s)"), ("signal.lfilter([0.5], iir_a, s2, axis=0)", "ss.lfilter([0.5], iir_a, s2, axis=0)"),
    ("signal.lfilter_zi(iir_b, iir_a)", "ss.lfilter_zi(iir_b, iir_a)"), ("signal.lfilter(iir_b, iir_a, s2, zi=ones((6, 2)))[1]", "ss.lfilter(iir_b, iir_a, s2, zi=np.ones((6, 2)))[1]"),
    ("signal.filtfilt(iir_b, iir_a, s)", "ss.filtfilt(iir_b, iir_a, s)"), ("signal.filtfilt(iir_b, iir_a, s2, axis=0, padlen=3)", "ss.filtfilt(iir_b, iir_a, s2, axis=0, padlen=3)"), ("signal.sosfilt(sos, s)", "ss.sosfilt(np.array(sos), np.array(s))"),
    ("signal.firwin(9, 0.3)", "ss.firwin(9, 0.3)"), ('signal.firwin(8, 10.0, window="hann", fs=100.0)', "ss.firwin(8, 10.0, window='hann', fs=100.0)"), ("signal.firwin(9, 0.4, pass_zero=false)", "ss.firwin(9, 0.4, pass_zero=False)"),
    ("signal.savgol_coeffs(5, 2)", "ss.savgol_coeffs(5, 2)"), ("signal.savgol_coeffs(7, 3, deriv=1, delta=0.5)", "ss.savgol_coeffs(7, 3, deriv=1, delta=0.5)"), ("signal.savgol_filter(s, 7, 3)", "ss.savgol_filter(s, 7, 3)"),
    ("signal.savgol_filter(s2, 3, 1, deriv=1, delta=2.0, axis=0)", "ss.savgol_filter(s2, 3, 1, deriv=1, delta=2.0, axis=0)"), ("signal.detrend(s2, axis=0)", "ss.detrend(s2, axis=0)"), ('signal.detrend(s, type="constant")', "ss.detrend(s, type='constant')"),
    ("signal.medfilt(s, 5)", "ss.medfilt(np.asarray(s), 5)"), ("signal.find_peaks(s)", "ss.find_peaks(s)[0]"), ("signal.find_peaks(s, height=0.5)", "ss.find_peaks(s, height=0.5)[0]"), ("signal.find_peaks(s, threshold=0.4)", "ss.find_peaks(s, threshold=0.4)[0]"),
    ("signal.find_peaks(flat)", "ss.find_peaks(flat)[0]"), ("signal.sawtooth(s * 9)", "ss.sawtooth(s * 9)"), ("signal.sawtooth(s * 9, 0.3)", "ss.sawtooth(s * 9, 0.3)"), ("signal.square(s * 9, 0.3)", "ss.square(s * 9, 0.3)"),
    *[(f'signal.chirp(abs(s), 1.0, 2.0, 3.0, method="{m}")', f"ss.chirp(np.abs(np.asarray(s, 'f8')), 1.0, 2.0, 3.0, method='{m}')") for m in ("linear", "quadratic", "logarithmic")], ("signal.unit_impulse(4, at=2)", "ss.unit_impulse(4, 2)"),
]
pairs = [(a.replace("jnp.array(", "array("), b) for a, b in pairs]

write("module_values", setup, pairs, names)
