# Writes distribution_values.pm: the values of SciPy, or of JAX where SciPy has no such function, for the distributions of stats, the integrals and inverses of special,
# and attention. python3 distribution_values.py > distribution_values.pm   (jax 0.10.2, scipy 1.17.1, CPU)
import jax
import jax.numpy as jnp
import numpy as np
import scipy.special as sp
import scipy.stats as st

from expressions import write


def wide(value):
    with jax.enable_x64(True): return jnp.array(value, jnp.float64)


def of(name, functions, x, p, *shape):
    """The functions of a distribution at x, and its quantiles at p, in rows."""
    return wide([getattr(getattr(st, name), f)(np.array(p if f in ("ppf", "isf") else x), *shape) for f in functions])


def kde(data, points, **more): return jax.scipy.stats.gaussian_kde(data, **more)(points)


names = dict(jax=jax, jnp=jnp, np=np, sp=sp, st=st, r=jax.random, key=jax.random.key, wide=wide, of=of, kde=kde, inits=jax.nn.initializers)
setup = [
    ("x", "f64([-1.5, 0.0, 0.25, 1.0, 2.5, 30.0])", "[-1.5, 0.0, 0.25, 1.0, 2.5, 30.0]"), ("u", "f64([-0.5, 0.0, 0.1, 0.6, 0.99, 1.0])", "[-0.5, 0.0, 0.1, 0.6, 0.99, 1.0]"),
    ("p", "f64([0.0, 1e-9, 0.2, 0.5, 0.9, 1.0])", "[0.0, 1e-9, 0.2, 0.5, 0.9, 1.0]"), ("k", "f64([-1.0, 0.0, 2.0, 2.5, 5.0, 10.0])", "[-1.0, 0.0, 2.0, 2.5, 5.0, 10.0]"),
    ("q", "f64([0.0, 1e-9, 0.2, 0.53, 0.9, 0.999])", "[0.0, 1e-9, 0.2, 0.53, 0.9, 0.999]"),
    ("y", "f64([-30.0, -2.5, -0.3, 0.4, 1.9, 30.0])", "[-30.0, -2.5, -0.3, 0.4, 1.9, 30.0]"), ("z", "f64([0.0, 1e-3, 0.4, 1.9, 6.0, 50.0])", "[0.0, 1e-3, 0.4, 1.9, 6.0, 50.0]"),
    ("far", "f64([29.0, 30.0, 30.02, 31.0, 33.0])", "[29.0, 30.0, 30.02, 31.0, 33.0]"),
    ("query", "random.normal(random.key(0), (2, 5, 4, 3))", "r.normal(key(0), (2, 5, 4, 3))"), ("keys", "random.normal(random.key(1), (2, 7, 2, 3))", "r.normal(key(1), (2, 7, 2, 3))"),
    ("values", "random.normal(random.key(2), (2, 7, 2, 3))", "r.normal(key(2), (2, 7, 2, 3))"), ("bias", "random.normal(random.key(3), (1, 4, 5, 7))", "r.normal(key(3), (1, 4, 5, 7))"),
    ("points", "random.normal(random.key(4), (2, 6))", "r.normal(key(4), (2, 6))"),
]
every = ("pdf", "logpdf", "cdf", "logcdf", "sf", "logsf", "ppf", "isf")
counts = ("pmf", "logpmf", "cdf", "logcdf", "sf", "logsf", "ppf", "isf")
some = ("logpdf", "cdf", "sf")


def rows(name, functions, at, probabilities, *shape):
    shape = "".join(f", {s}" for s in shape)
    call = lambda f: f"stats.{name}_{f}({probabilities if f in ('ppf', 'isf') else 'x'}{shape})"
    return (f"jit(fn(x) = stack(({', '.join(call(f) for f in functions)},)))({at})", f"of('{name}', {functions}, {at}, {probabilities}{shape})".replace("-inf", "-np.inf"))


pairs = [
    *[rows(name, every, "x", "p") for name in ("norm", "expon", "laplace", "logistic", "cauchy", "gumbel_r", "gumbel_l")], rows("uniform", every, "u", "p"), rows("pareto", every, "x", "p", 2.5),
    rows("halfnorm", every, "x", "p"), rows("halfcauchy", every, "x", "p"), rows("invgamma", every, "x", "p", 1.5), rows("invgamma", ("logpdf", "ppf"), "x", "p", 0.4, 0.5, 2.0),
    rows("norm", ("logpdf", "ppf"), "x", "p", 0.5, 2.0), rows("gamma", some, "x", "p", 1.5), rows("chi2", ("logcdf", "logsf"), "x", "p", 3.0), rows("beta", ("logpdf", "sf"), "u", "p", 0.7, 3.0),
    rows("beta", ("ppf",), "u", "p", 0.7, 3.0), rows("t", ("logpdf", "cdf"), "x", "p", 2.5), rows("gennorm", some, "x", "p", 1.5), rows("truncnorm", ("logpdf", "logcdf", "sf", "ppf"), "x", "p", -1.0, 2.0),
    rows("truncnorm", ("logcdf", "logsf"), "far", "p", 30.0, 33.0), rows("wrapcauchy", ("logpdf", "cdf", "sf", "ppf"), "x", "p", 0.3), rows("vonmises", ("pdf", "logpdf"), "x", "p", 2.0),
    rows("bernoulli", counts, "k", "q", 0.3), rows("geom", counts, "k", "q", 0.3), rows("binom", ("pmf", "cdf"), "k", "q", 10.0, 0.3),
    rows("nbinom", ("logpmf", "cdf"), "k", "q", 3.5, 0.4), rows("poisson", ("pmf", "cdf", "logsf"), "k", "q", 3.7), rows("poisson", ("isf",), "k", "q", 3.7), rows("betabinom", ("pmf",), "k", "q", 10.0, 1.5, 2.5),
    *[(f"stats.{a}", f"jnp.array({b}, jnp.float32)") for a, b in [
        ("norm_logsf([3.0, 30.0])", "st.norm.logsf([3.0, 30.0])"), ("gumbel_r_logsf([3.0, 300.0])", "st.gumbel_r.logsf([3.0, 300.0])"),
        ("poisson_logpmf([900, 1000], 1000)", "st.poisson.logpmf([900, 1000], 1000)")]],
    ("stats.dirichlet_pdf([0.2, 0.3, 0.5], [1.5, 2.0, 3.0])", "jax.scipy.stats.dirichlet.pdf(jnp.array([0.2, 0.3, 0.5]), jnp.array([1.5, 2.0, 3.0]))"),
    ("stats.multinomial_pmf([1, 2, 2], 5, [0.2, 0.3, 0.5])", "jax.scipy.stats.multinomial.pmf(jnp.array([1, 2, 2]), 5, jnp.array([0.2, 0.3, 0.5]))"),
    ("stats.multivariate_normal_pdf(points.T, [0.5, 0.0], [[2.0, 0.5], [0.5, 1.0]])", "jax.scipy.stats.multivariate_normal.pdf(points.T, jnp.array([0.5, 0.0]), jnp.array([[2.0, 0.5], [0.5, 1.0]]))"),
    ('stats.gaussian_kde(points[0], "silverman").evaluate([0.0, 1.0])', 'kde(points[0], jnp.array([0.0, 1.0]), bw_method="silverman")'),
    ("stats.gaussian_kde(points, 0.4, points[0] ** 2).evaluate(points)", "kde(points, points, bw_method=0.4, weights=points[0] ** 2)"),
    ("stats.mode([[2, 1, 2], [0, 3, 3]], axis=1).mode", "jax.scipy.stats.mode(jnp.array([[2, 1, 2], [0, 3, 3]]), axis=1).mode"), ("stats.mode([nan, 1.0, nan]).count", "jax.scipy.stats.mode(jnp.array([jnp.nan, 1.0, jnp.nan])).count"),
    *[(f"special.{a}", f"wide(sp.{b or a})") for a, b in [
        ("exp1(y)", ""), ("expi(y)", ""), ("expn(4, z)", ""), ("erfcx(x)", ""), ("dawsn(y)", "dawsn(y)"), ("spence(y)", ""),
        ("hyp1f1(1.5, 2.5, y)", ""), ("hyp2f1(1.5, 0.3, 2.6, y)", ""), ("owens_t(y, 1.5)", ""), ("bernoulli(10, dtype=f64)[:3]", "bernoulli(10)[:3]"), ("softmax(y)", ""),
        ("gammainccinv(0.3, q)", ""), ("bessel_jn(y, 2)", "jv([[0], [1], [2]], y)")]],
    ("stack(special.fresnel(y))", "wide(np.stack(sp.fresnel(y)))"), ("stack(special.sici(z))", "wide(np.stack(sp.sici(z)))"), ("imag(special.wofz(complex(u, x)))", "wide(sp.wofz(np.array(u) + 1j * np.array(x)).imag)"),
    *[(f"{part}(special.sph_harm_y([0, 1, 2, 5, 20, 3], [0, -1, 2, -3, 7, 4], 3 * abs(u), x))", f"wide(np.{part}(sp.sph_harm_y([0, 1, 2, 5, 20, 3], [0, -1, 2, -3, 7, 4], 3 * np.abs(u), x)))") for part in ("real", "imag")],
    ("grad(fn(t) = real(special.sph_harm_y(3, -2, t, f64(0.5))))(0.7f64)", "wide(sp.sph_harm_y(3, -2, 0.7, 0.5, diff_n=1)[1][0].real)"),
    ("grad(fn(a) = stats.gamma_ppf(f64(0.3), a))(1.5)", "jnp.array((sp.gammaincinv(1.5001, 0.3) - sp.gammaincinv(1.4999, 0.3)) / 2e-4, jnp.float32)"),
    *[(f"nn.dot_product_attention(query, keys, values, {a})", f"jax.nn.dot_product_attention(query, keys, values, {b})") for a, b in [
        ("bias=bias, mask=bias > 0, block=3", "bias=bias, mask=bias > 0"), ("scale=0.3, is_causal=true, local_window_size=2", "scale=0.3, is_causal=True, local_window_size=2"),
        ("key_value_seq_lengths=[3, 7], query_seq_lengths=[5, 4]", "key_value_seq_lengths=jnp.array([3, 7]), query_seq_lengths=jnp.array([5, 4])")]],
    ("grad(fn(a) = sum(nn.dot_product_attention(query, a, values, bias=bias, block=3) ** 2))(keys)", "jax.grad(lambda a: (jax.nn.dot_product_attention(query, a, values, bias=bias) ** 2).sum())(keys)"),
    ("nn.logmeanexp(points, axis=1)", "jax.nn.logmeanexp(points, axis=1)"), ("nn.log1mexp(abs(points))", "jax.nn.log1mexp(abs(points))"), ("nn.sparse_plus(points)", "jax.nn.sparse_plus(points)"),
    ("nn.delta_orthogonal_init(2.0)(random.key(1), (3, 2, 4))", "inits.delta_orthogonal(2.0)(key(1), (3, 2, 4))"), ("nn.truncated_normal_init(0.5)(random.key(1), (4,))", "inits.truncated_normal(0.5)(key(1), (4,))"),
    ('nn.variance_scaling(1.0, "fan_geo_avg", "normal")(random.key(1), (4, 3))', 'inits.variance_scaling(1.0, "fan_geo_avg", "normal")(key(1), (4, 3))'),
]
write("distribution_values", setup, pairs, names)
