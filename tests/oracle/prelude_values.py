# Writes prelude_values.pm: expressions over the global functions and modules with the values that JAX gives for the same.
# python3 prelude_values.py > prelude_values.pm   (jax 0.10.2, CPU)
import jax
import jax.numpy as jnp
import jax.scipy as jsp
import numpy as np

names = {"jnp": jnp, "jax": jax, "jsp": jsp, "np": np, "lax": jax.lax, "nn": jax.nn}
setup = [
    ("x", "arange(12.0).reshape(3, 4) / 4 - 1", "jnp.arange(12.0).reshape(3, 4) / 4 - 1"),
    ("v", "[3.0, -1.0, 2.0, 0.5]", "jnp.array([3.0, -1.0, 2.0, 0.5])"),
    ("w", "[0.5, 1.5, -2.0, 1.0]", "jnp.array([0.5, 1.5, -2.0, 1.0])"),
    ("i", "[3, 0, 2, 3, 1]", "jnp.array([3, 0, 2, 3, 1])"),
    ("g", "[1.0, nan, 3.0, -inf]", "jnp.array([1.0, jnp.nan, 3.0, -jnp.inf])"),
    ("h", "[1.0, nan, 3.0, 7.0]", "jnp.array([1.0, jnp.nan, 3.0, 7.0])"),
    ("m", "[[2.0, 1.0], [1.0, 3.0]]", "jnp.array([[2.0, 1.0], [1.0, 3.0]])"),
]
# (in the language, in JAX); one text where both are spelled alike up to `jnp.`
pairs = [
    ("mean(x)", "jnp.mean(x)"), ("mean(x, axis=1)", "jnp.mean(x, axis=1)"), ("mean(i)", "jnp.mean(i)"),
    ("mean(x, axis=(0, 1), keepdims=true)", "jnp.mean(x, axis=(0, 1), keepdims=True)"), ("mean(x > 0)", "jnp.mean(x > 0)"),
    ("var(x, axis=0)", "jnp.var(x, axis=0)"), ("var(x, ddof=1)", "jnp.var(x, ddof=1)"), ("std(x, axis=1)", "jnp.std(x, axis=1)"),
    ("average(x, axis=1, weights=v)", "jnp.average(x, axis=1, weights=v)"), ("average(x, weights=x + 3)", "jnp.average(x, weights=x + 3)"),
    ("ptp(x, axis=0)", "jnp.ptp(x, axis=0)"), ("median(x, axis=1)", "jnp.median(x, axis=1)"), ("median(v)", "jnp.median(v)"),
    ("quantile(v, 0.3)", "jnp.quantile(v, 0.3)"), ("quantile(x, [0.1, 0.9], axis=1)", "jnp.quantile(x, jnp.array([0.1, 0.9]), axis=1)"),
    ("percentile(v, 75)", "jnp.percentile(v, 75)"), ("median(h)", "jnp.median(h)"),
    ("logsumexp(x, axis=1)", "jsp.special.logsumexp(x, axis=1)"), ("logsumexp(x * 100)", "jsp.special.logsumexp(x * 100)"),
    ("logsumexp(v, b=[1.0, 2.0, 1.0, 0.5])", "jsp.special.logsumexp(v, b=jnp.array([1.0, 2.0, 1.0, 0.5]))"),
    ("logsumexp(x, axis=0, keepdims=true)", "jsp.special.logsumexp(x, axis=0, keepdims=True)"),
    ("nansum(h)", "jnp.nansum(h)"), ("nanprod(h)", "jnp.nanprod(h)"), ("nanmax(h)", "jnp.nanmax(h)"), ("nanmin(g)", "jnp.nanmin(g)"),
    ("nanmean(h)", "jnp.nanmean(h)"), ("nanvar(h)", "jnp.nanvar(h)"), ("nanstd(h)", "jnp.nanstd(h)"),
    ("trapezoid(v)", "jnp.trapezoid(v)"), ("trapezoid(x, dx=0.5)", "jnp.trapezoid(x, dx=0.5)"), ("trapezoid(v, [0.0, 1.0, 3.0, 4.0])", "jnp.trapezoid(v, jnp.array([0.0, 1.0, 3.0, 4.0]))"),
    ("cov(x)", "jnp.cov(x)"), ("cov(v, w)", "jnp.cov(v, w)"), ("corrcoef(v, w)", "jnp.corrcoef(v, w)"), ("cov(x, rowvar=false)", "jnp.cov(x, rowvar=False)"),
    ("isclose(v, v + 1e-6)", "jnp.isclose(v, v + 1e-6)"), ("isclose(g, g)", "jnp.isclose(g, g)"), ("isclose(g, g, equal_nan=true)", "jnp.isclose(g, g, equal_nan=True)"),
    ("allclose(v, w)", "jnp.allclose(v, w)"), ("array_equal(v, v)", "jnp.array_equal(v, v)"), ("array_equal(v, x)", "jnp.array_equal(v, x)"),
    ("isin(i, [0, 3])", "jnp.isin(i, jnp.array([0, 3]))"),
    ("clip(x, -0.5, 0.5)", "jnp.clip(x, -0.5, 0.5)"), ("clip(x, max=0.25)", "jnp.clip(x, max=0.25)"), ("clip(i, 1, 2)", "jnp.clip(i, 1, 2)"),
    ("nan_to_num(g)", "jnp.nan_to_num(g)"), ("nan_to_num(g, nan=5.0, neginf=-1.0)", "jnp.nan_to_num(g, nan=5.0, neginf=-1.0)"),
    ("sinc(x)", "jnp.sinc(x)"), ("hypot(v, w)", "jnp.hypot(v, w)"), ("heaviside(x, 0.5)", "jnp.heaviside(x, 0.5)"), ("logaddexp2(v, w)", "jnp.logaddexp2(v, w)"),
    ("square(i)", "jnp.square(i)"), ("reciprocal(v)", "jnp.reciprocal(v)"), ("ldexp(v, i[:4])", "jnp.ldexp(v, i[:4])"), ("fix(v)", "jnp.trunc(v)"),
    ("divmod(v, 0.7)[1]", "jnp.divmod(v, 0.7)[1]"), ("modf(v)[0]", "jnp.modf(v)[0]"), ("gcd([12, 18, 0], [8, 27, 5])", "jnp.gcd(jnp.array([12, 18, 0]), jnp.array([8, 27, 5]))"),
    ("lcm([4, 6], [6, 9])", "jnp.lcm(jnp.array([4, 6]), jnp.array([6, 9]))"), ("polyval(v, w)", "jnp.polyval(v, w)"),
    ("interp([-1.0, 0.5, 1.5, 9.0], [0.0, 1.0, 2.0], [1.0, 3.0, 2.0])", "jnp.interp(jnp.array([-1.0, 0.5, 1.5, 9.0]), jnp.array([0.0, 1.0, 2.0]), jnp.array([1.0, 3.0, 2.0]))"),
    ("interp([-1.0, 9.0], [0.0, 1.0], [1.0, 3.0], left=-7.0, right=7.0)", "jnp.interp(jnp.array([-1.0, 9.0]), jnp.array([0.0, 1.0]), jnp.array([1.0, 3.0]), left=-7.0, right=7.0)"),
    ("select((x < 0, x > 1), (x, -x), 9.0)", "jnp.select([x < 0, x > 1], [x, -x], 9.0)"),
    ("piecewise(v, (v < 0,), (fn(t) = -t, fn(t) = t * t))", "jnp.piecewise(v, [v < 0], [lambda t: -t, lambda t: t * t])"),
    ("logspace(0.0, 2.0, 3)", "jnp.logspace(0.0, 2.0, 3)"), ("geomspace(1.0, 8.0, 4)", "jnp.geomspace(1.0, 8.0, 4)"), ("tri(3, 4, 1)", "jnp.tri(3, 4, 1)"),
    ("diag(v)", "jnp.diag(v)"), ("diag(v, 1)", "jnp.diag(v, 1)"), ("diag(v, -2)", "jnp.diag(v, -2)"), ("diag(x, 1)", "jnp.diag(x, 1)"),
    ("diagonal(x, offset=-1)", "jnp.diagonal(x, offset=-1)"), ("diagonal(arange(24).reshape(2, 3, 4), axis1=2, axis2=0)", "jnp.diagonal(jnp.arange(24).reshape(2, 3, 4), axis1=2, axis2=0)"),
    ("trace(x)", "jnp.trace(x)"), ("stack(tril_indices(3))", "jnp.stack(jnp.tril_indices(3))"), ("stack(triu_indices(3, 1))", "jnp.stack(jnp.triu_indices(3, 1))"),
    ("vander(v)", "jnp.vander(v)"), ("stack(meshgrid(v, w[:3]))", "jnp.stack(jnp.meshgrid(v, w[:3]))"),
    ('stack(meshgrid(v, w[:3], indexing="ij"))', 'jnp.stack(jnp.meshgrid(v, w[:3], indexing="ij"))'), ("indices((2, 3))", "jnp.indices((2, 3))"),
    ("one_hot(i, 4)", "nn.one_hot(i, 4)"), ("one_hot([4, -1], 4)", "nn.one_hot(jnp.array([4, -1]), 4)"), ("one_hot(i, 4, axis=0)", "nn.one_hot(i, 4, axis=0)"),
    ("hanning(6)", "jnp.hanning(6)"), ("hamming(5)", "jnp.hamming(5)"), ("bartlett(5)", "jnp.bartlett(5)"), ("blackman(5)", "jnp.blackman(5)"),
    ("vstack((v, w))", "jnp.vstack((v, w))"), ("hstack((v, w))", "jnp.hstack((v, w))"), ("hstack((x, x))", "jnp.hstack((x, x))"), ("dstack((v, w))", "jnp.dstack((v, w))"),
    ("column_stack((v, w))", "jnp.column_stack((v, w))"), ("append(v, 1.0)", "jnp.append(v, 1.0)"), ("array_split(i, 3)[0]", "jnp.array_split(i, 3)[0]"),
    ("array_split(i, 3)[2]", "jnp.array_split(i, 3)[2]"), ("rot90(x)", "jnp.rot90(x)"), ("rot90(x, 2)", "jnp.rot90(x, 2)"), ("rot90(x, -1)", "jnp.rot90(x, -1)"),
    ("fliplr(x)", "jnp.fliplr(x)"), ("flipud(x)", "jnp.flipud(x)"), ("ravel_multi_index(([1, 0], [2, 3]), (2, 4))", "jnp.ravel_multi_index((jnp.array([1, 0]), jnp.array([2, 3])), (2, 4))"),
    ("stack(unravel_index([5, 11], (3, 4)))", "jnp.stack(jnp.unravel_index(jnp.array([5, 11]), (3, 4)))"),
    ("diff(v)", "jnp.diff(v)"), ("diff(x, 2)", "jnp.diff(x, 2)"), ("diff(x, axis=0)", "jnp.diff(x, axis=0)"), ("gradient(v)", "jnp.gradient(v)"), ("gradient(v, 0.5)", "jnp.gradient(v, 0.5)"),
    ("outer(v, w)", "jnp.outer(v, w)"), ("inner(x, v)", "jnp.inner(x, v)"), ("vdot(v, w)", "jnp.vdot(v, w)"), ("vecdot(x, x)", "jnp.vecdot(x, x)"),
    ("matvec(x, v)", "jnp.matvec(x, v)"), ("vecmat([1.0, 2.0, 3.0], x)", "jnp.vecmat(jnp.array([1.0, 2.0, 3.0]), x)"),
    ("kron(v[:2], w[:3])", "jnp.kron(v[:2], w[:3])"), ("kron(m, m + 1)", "jnp.kron(m, m + 1)"), ("cross(v[:3], w[:3])", "jnp.cross(v[:3], w[:3])"),
    ("convolve(v, w[:3])", "jnp.convolve(v, w[:3])"), ('convolve(v, w[:3], mode="same")', 'jnp.convolve(v, w[:3], mode="same")'),
    ('convolve(v, w[:3], mode="valid")', 'jnp.convolve(v, w[:3], mode="valid")'), ("correlate(v, w[:3])", "jnp.correlate(v, w[:3])"),
    ("nonzero(x > 0.5)[1]", "jnp.nonzero(x > 0.5)[1]"), ("argwhere(x > 1)", "jnp.argwhere(x > 1)"), ("unique(i)", "jnp.unique(i)"), ("bincount(i)", "jnp.bincount(i)"),
    ("digitize(v, [0.0, 1.0, 2.0])", "jnp.digitize(v, jnp.array([0.0, 1.0, 2.0]))"), ("digitize(v, [0.0, 1.0, 2.0], right=true)", "jnp.digitize(v, jnp.array([0.0, 1.0, 2.0]), right=True)"),
    ("histogram(v, 4)[0]", "jnp.histogram(v, 4)[0]"), ("histogram(v, 4)[1]", "jnp.histogram(v, 4)[1]"), ("histogram(v, [0.0, 1.0, 3.0])[0]", "jnp.histogram(v, jnp.array([0.0, 1.0, 3.0]))[0]"),
    ("extract(v > 0, v)", "jnp.extract(v > 0, v)"), ("compress([true, false, true], x)", "jnp.compress(jnp.array([True, False, True]), x, axis=0)"),
    ("dynamic_slice(x, (1, 3), (2, 2))", "lax.dynamic_slice(x, (1, 3), (2, 2))"), ("dynamic_slice_in_dim(x, -2, 2, axis=1)", "lax.dynamic_slice_in_dim(x, -2, 2, axis=1)"),
    ("dynamic_update_slice(x, zeros((2, 2)), (5, 1))", "lax.dynamic_update_slice(x, jnp.zeros((2, 2)), (5, 1))"),
    ("dynamic_update_slice_in_dim(x, zeros((1, 4)), 1)", "lax.dynamic_update_slice_in_dim(x, jnp.zeros((1, 4)), 1, axis=0)"),
    ("dynamic_update_index_in_dim(x, v, 2)", "lax.dynamic_update_index_in_dim(x, v, 2, axis=0)"), ("dynamic_index_in_dim(x, 1, keepdims=false)", "lax.dynamic_index_in_dim(x, 1, keepdims=False)"),
    ("slice_in_dim(x, 0, 4, 2, axis=1)", "lax.slice_in_dim(x, 0, 4, 2, axis=1)"), ("sort_key_val(v, w)[1]", "lax.sort_key_val(v, w)[1]"),
    ("jacfwd(fn(t) = sin(t) * sum(t))(v)", "jax.jacfwd(lambda t: jnp.sin(t) * jnp.sum(t))(v)"), ("jacrev(fn(t) = sin(t) * sum(t))(v)", "jax.jacrev(lambda t: jnp.sin(t) * jnp.sum(t))(v)"),
    ("jacfwd(fn(t, s) = outer(t, s), argnums=1)(v, w[:2])", "jax.jacfwd(lambda t, s: jnp.outer(t, s), argnums=1)(v, w[:2])"),
    ("jacrev(fn(p) = {y: p.a * p.b}, argnums=0)({a: v, b: w}).y.b", "jax.jacrev(lambda p: {'y': p['a'] * p['b']})({'a': v, 'b': w})['y']['b']"),
    ("jacfwd(fn(p) = {y: p.a * p.b}, argnums=-1)({a: v, b: w}).y.a", "jax.jacfwd(lambda p: {'y': p['a'] * p['b']})({'a': v, 'b': w})['y']['a']"),
    ("hessian(fn(t) = sum(t ** 3) + t[0] * t[1])(v)", "jax.hessian(lambda t: jnp.sum(t ** 3) + t[0] * t[1])(v)"),
    ("hvp(fn(t) = sum(t ** 3), v, w)", "jax.jvp(jax.grad(lambda t: jnp.sum(t ** 3)), (v,), (w,))[1]"),
    ("grad(fn(t) = std(t))(v)", "jax.grad(lambda t: jnp.std(t))(v)"), ("grad(fn(t) = logsumexp(t))(v)", "jax.grad(lambda t: jsp.special.logsumexp(t))(v)"),
    ("grad(fn(t) = sum(sinc(t)))([0.0, 0.5])", "jax.grad(lambda t: jnp.sum(jnp.sinc(t)))(jnp.array([0.0, 0.5]))"),
    # modules
    *[(f"nn.{f}(x * 3)", f"nn.{f}(x * 3)") for f in "relu relu6 sigmoid log_sigmoid softplus soft_sign hard_tanh hard_sigmoid hard_swish silu mish gelu elu celu selu leaky_relu glu softmax log_softmax standardize".split()],
    ("nn.gelu(x, approximate=false)", "nn.gelu(x, approximate=False)"), ("nn.softmax(x, axis=0)", "nn.softmax(x, axis=0)"), ("grad(nn.relu)(0.0)", "jax.grad(nn.relu)(0.0)"),
    ("grad(nn.elu)(-0.5)", "jax.grad(nn.elu)(-0.5)"), ("nn.he_normal(random.key(3), (4, 5))", "nn.initializers.he_normal()(jax.random.key(3), (4, 5))"),
    ("nn.glorot_uniform(random.key(3), (3, 3, 2, 4))", "nn.initializers.glorot_uniform()(jax.random.key(3), (3, 3, 2, 4))"),
    ("nn.lecun_normal(random.key(3), (6, 2))", "nn.initializers.lecun_normal()(jax.random.key(3), (6, 2))"),
    ('nn.conv2d(arange(32.0).reshape(1, 4, 4, 2), arange(36.0).reshape(3, 3, 2, 2) / 36, strides=(2, 2))', 'lax.conv_general_dilated(jnp.arange(32.0).reshape(1, 4, 4, 2), jnp.arange(36.0).reshape(3, 3, 2, 2) / 36, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))'),
    *[(f"linalg.norm(v, ord={p})", f"jnp.linalg.norm(v, ord={'jnp.' if 'inf' in p else ''}{p})".replace("jnp.-inf", "-jnp.inf")) for p in ("0", "1", "2", "3", "inf", "-inf")],
    *[(f'linalg.norm(m, ord={p})', f'jnp.linalg.norm(m, ord={p})') for p in ("1", "2", "-2", '"fro"', '"nuc"')],
    ("linalg.det(m)", "jnp.linalg.det(m)"), ("linalg.inv(m)", "jnp.linalg.inv(m)"), ("linalg.solve(m, v[:2])", "jnp.linalg.solve(m, v[:2])"),
    ("linalg.cholesky(m)", "jnp.linalg.cholesky(m)"), ("linalg.qr(x[:, :2])[1]", "jnp.linalg.qr(x[:, :2])[1]"), ("linalg.eigh(m)[0]", "jnp.linalg.eigh(m)[0]"),
    ("linalg.svd(x)[1]", "jnp.linalg.svd(x, full_matrices=False)[1]"), ("linalg.pinv(x[:, :2])", "jnp.linalg.pinv(x[:, :2])"), ("linalg.expm(m)", "jsp.linalg.expm(m)"),
    ("linalg.matrix_power(m, 3)", "jnp.linalg.matrix_power(m, 3)"), ("linalg.lstsq(x[:, :2], v[:3])", "jnp.linalg.lstsq(x[:, :2], v[:3])[0]"), ("linalg.matrix_rank(x)", "jnp.linalg.matrix_rank(x)"),
    ("grad(fn(a) = linalg.det(a))(m)", "jax.grad(jnp.linalg.det)(m)"), ("grad(fn(a) = sum(linalg.cholesky(a)))(m)", "jax.grad(lambda a: jnp.sum(jnp.linalg.cholesky(a)))(m)"),
    *[(f"stats.{a}({c})", f"jsp.stats.{b}({d or c})") for a, b, c, d in [
        ("norm_logpdf", "norm.logpdf", "v, 0.5, 2.0", ""), ("norm_cdf", "norm.cdf", "v", ""), ("norm_ppf", "norm.ppf", "[0.1, 0.7]", "jnp.array([0.1, 0.7])"),
        ("expon_logpdf", "expon.logpdf", "v", ""), ("laplace_logpdf", "laplace.logpdf", "v", ""), ("logistic_logpdf", "logistic.logpdf", "v", ""), ("cauchy_logpdf", "cauchy.logpdf", "v", ""),
        ("gamma_logpdf", "gamma.logpdf", "v, 2.0", ""), ("beta_logpdf", "beta.logpdf", "[0.2, 0.9], 2.0, 3.0", "jnp.array([0.2, 0.9]), 2.0, 3.0"), ("t_logpdf", "t.logpdf", "v, 3.0", ""),
        ("chi2_logpdf", "chi2.logpdf", "[1.0, 2.0], 3.0", "jnp.array([1.0, 2.0]), 3.0"), ("poisson_logpmf", "poisson.logpmf", "i, 2.5", ""), ("bernoulli_logpmf", "bernoulli.logpmf", "[0, 1], 0.3", "jnp.array([0, 1]), 0.3"),
        ("geom_logpmf", "geom.logpmf", "[1, 4], 0.3", "jnp.array([1, 4]), 0.3"), ("multivariate_normal_logpdf", "multivariate_normal.logpdf", "v[:2], w[:2], m", "")]],
    *[(f"special.{f}", f"jsp.special.{f}") for f in ("expit(v)", "gammaln(w + 3)", "ndtr(v)", "log_ndtr(v * 4 - 6)", "xlogy(v + 1, w + 3)", "xlog1py(v, w + 3)", "i0(v)", "i0e(v * 3)", "i1(v)", "i1e(v * 3)", "betaln(v + 2, w + 3)")],
]


def text(value):
    value = np.asarray(value)
    def one(n):
        if value.dtype == bool: return "true" if n else "false"
        if np.isnan(n): return "nan"
        if np.isinf(n): return "inf" if n > 0 else "-inf"
        return repr(int(n)) if np.issubdtype(value.dtype, np.integer) else repr(float(np.float32(n))) if abs(n) < 1e16 else f"{float(np.float32(n)):.9e}"
    flat = ", ".join(one(n) for n in value.ravel())
    return "[" + flat + "]", "(" + "".join(f"{n}, " for n in value.shape) + ")"


print("# Made by prelude_values.py: what JAX gives for the same expressions. pm run tests/oracle/prelude_values.pm")
print("""
fn check(name, found, values, shape) {
    assert(found.shape == shape, "{name}: shape {found.shape}, JAX has {shape}")
    let flat = found.reshape(-1)
    let same = if flat.dtype == bool { all(flat == values) } else { allclose(flat, values, rtol=2e-5, atol=2e-6, equal_nan=true) }
    assert(same, "{name}: {flat}, JAX has {values}")
}
""")
for name, ours, theirs in setup:
    names[name] = eval(theirs, names)
    print(f"let {name} = {ours}")
print()
for ours, theirs in pairs:
    values, shape = text(eval(theirs, names))
    label = ours.replace("\\", "").replace('"', "'").replace("{", "(").replace("}", ")")
    print(f'check("{label}", array({ours}), {values}, {shape})')
print(f'print("{len(pairs)} expressions have JAX\'s values")')
