# Writes argument_values.pm: rarely used arguments of functions, edge cases of functions, and derivatives at edges, with the values of JAX, or of
# NumPy or SciPy if JAX has no such function. python3 argument_values.py > argument_values.pm   (jax 0.10.2, numpy 2.4.6, scipy 1.17.1, CPU)
import jax
import jax.numpy as jnp
import jax.scipy as jsp
import numpy as np
import scipy.signal.windows as windows
import scipy.special as sp
import scipy.stats as st

from expressions import write

names = dict(jnp=jnp, jax=jax, jsp=jsp, np=np, nn=jax.nn, sp=sp, st=st, windows=windows)
setup = [
    ("x", "[[0.5, -1.25, 2.0], [3.75, -0.5, 0.0]]", "jnp.array([[0.5, -1.25, 2.0], [3.75, -0.5, 0.0]])"),
    ("v", "[3.0, 1.0, 2.0]", "jnp.array([3.0, 1.0, 2.0])"),
    ("i", "[[1, 2, 3], [4, 5, 6]]", "jnp.array([[1, 2, 3], [4, 5, 6]])"),
    ("g", "[[1.0, nan, 3.0], [inf, 2.0, -1.0]]", "jnp.array([[1.0, jnp.nan, 3.0], [jnp.inf, 2.0, -1.0]])"),
    ("m", "[[true, false, true], [false, true, true]]", "jnp.array([[True, False, True], [False, True, True]])"),
    ("z", "array([1 + 2j, 3 - 1j, 0.5j])", "jnp.array([1 + 2j, 3 - 1j, 0.5j])"),
    ("t", "arange(24.0).reshape(2, 3, 4) / 7", "jnp.arange(24.0).reshape(2, 3, 4) / 7"),
    ("f", "[1, 2, 3]", "jnp.array([1, 2, 3])"),
    ("a", "[1.0, 2.0, 0.5]", "jnp.array([1.0, 2.0, 0.5])"),
    ("p", "[0.2, 0.5, 0.3]", "jnp.array([0.2, 0.5, 0.3])"),
    ("s", "[[2.0, 1.0, 0.0], [-1.0, 3.0, 0.5], [0.3, 0.2, -2.0]]", "jnp.array([[2.0, 1.0, 0.0], [-1.0, 3.0, 0.5], [0.3, 0.2, -2.0]])"),
    ("q", "[[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]]", "jnp.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]])"),
    ("halves", "f16([0.5, 1.5, 2.5])", "jnp.array([0.5, 1.5, 2.5], dtype=jnp.float16)"),
]


def python(text):
    """The expression in Python: only names of values and `jnp.` differ."""
    for ours, theirs in (("true", "True"), ("false", "False"), ("none", "None"), ("dtype=f16", "dtype=jnp.float16"), ("dtype=i32", "dtype=jnp.int32"),
                         ("dtype=f32", "dtype=jnp.float32")):
        text = text.replace(ours, theirs)
    return text


def of(module, texts): return [(text, python(f"{module}.{text}")) for text in texts]


pairs = [
    *of("jnp", ["cov(x)", "cov(x, bias=true)", "cov(x, ddof=0)", "cov(x, ddof=2)", "cov(x, rowvar=false, bias=true)", "cov(x, fweights=f)", "cov(x, aweights=a)",
                "cov(x, fweights=f, aweights=a)", "cov(x, fweights=f, aweights=a, bias=true)", "cov(x, aweights=a, ddof=0)", "cov(v, a, fweights=f)",
                "cov(i)", "cov(z, z * 1j)", "corrcoef(z, z * 1j + 1)", "corrcoef(i)"]),
    *of("jnp", ["average(t, axis=(0, 2), weights=t[:, 0])", "average(i, axis=0, weights=i)", "nansum(g, axis=1, initial=2.0, where=m)", "nansum(x, dtype=f16)",
                "nanprod(g, axis=0, initial=2.0)", "nanmax(g, axis=1, initial=2.5)", "nanmax(g, where=m, axis=0, initial=-9.0)", "nanmin(g, where=m, initial=9.0)",
                "nanmean(g, axis=1, where=m)", "nanmean(g[:1], dtype=f16)", "nanvar(g[:1], axis=1, where=m[:1])", "nanstd(g[:1], ddof=1)", "nancumsum(g, axis=1)",
                "nancumsum(i, axis=0, dtype=f32)", "nancumprod(g, axis=1)"]),
    *[(f"logsumexp({text})", python(f"jsp.special.logsumexp({text})").replace("jnp.", "")) for text in
      ("z", "x, where=m, axis=1", "x, axis=1, b=a", "x, b=0.0", "halves")],
    ("logsumexp([inf, 1.0], b=[0.0, 1.0])", "jsp.special.logsumexp(jnp.array([jnp.inf, 1.0]), b=jnp.array([0.0, 1.0]))"),
    ("grad(fn(y) = logsumexp(y, b=[0.0, 1.0, 1.0]))([500.0, 1.0, 2.0])",
     "jax.grad(lambda y: jsp.special.logsumexp(y, b=jnp.array([0.0, 1.0, 1.0])))(jnp.array([500.0, 1.0, 2.0]))"),
    ("digitize(v, [2.5, 1.0])", "jnp.digitize(v, jnp.array([2.5, 1.0]))"), ("digitize(v, [2.0, 1.0], right=true)", "jnp.digitize(v, jnp.array([2.0, 1.0]), right=True)"),
    ("compress([true, false, true], x)", "jnp.compress(jnp.array([True, False, True]), x)"),
    ("compress([true, false, true], x, axis=1, size=3, fill_value=7)", "jnp.compress(jnp.array([True, False, True]), x, axis=1, size=3, fill_value=7)"),
    ("extract(x > 0, x, size=6, fill_value=-1)", "jnp.extract(x > 0, x, size=6, fill_value=-1)"),
    *of("jnp", ["zeros_like(x, shape=(2,))", "ones_like(x, dtype=i32, shape=(2, 2))", "full_like(i, 2.5, shape=2)", "empty_like(x, dtype=i32, shape=(0,))", "eye(3, M=2, k=-1)",
                "tri(3, M=2, k=-1, dtype=i32)", "logspace(0, 2, 3, dtype=i32)", "logspace(a, 2, 3, axis=1)", "geomspace(1, 1000, 3, endpoint=false)", "geomspace(-1.0, -8.0, 4)",
                "geomspace(1, a * 10, 3, axis=1)", "trace(i, dtype=f32)", "vander(v, N=4)", "vander(v, 2, increasing=true)", "indices((2, 3), dtype=f32)",
                "kaiser(5, 2.0)", "angle(z, deg=true)", "array_equiv(x, x[:1])", "array_equiv(x, v[:2])", "unwrap(x, axis=0, period=2.0)"]),
    ("stack(diag_indices(2, ndim=3))", "jnp.stack(jnp.diag_indices(2, ndim=3))"), ("indices((2, 3), sparse=true)[1]", "jnp.indices((2, 3), sparse=True)[1]"),
    *[(f"stack({name}_indices({n}, k={k}, m={m}))", f"jnp.stack(jnp.{name}_indices({n}, k={k}, m={m}))")
      for name in ("tril", "triu") for (n, m) in ((3, 5), (5, 3), (3, 3)) for k in (-4, -1, 0, 2, 6)],
    ("stack(triu_indices_from(zeros((3, 5)), k=1))", "jnp.stack(jnp.triu_indices_from(jnp.zeros((3, 5)), k=1))"),
    ("ravel_multi_index(([5, 0], [2, -1]), (2, 3), mode=\"clip\")", "jnp.ravel_multi_index((jnp.array([5, 0]), jnp.array([2, -1])), (2, 3), mode='clip')"),
    ("ravel_multi_index(([5, 0], [2, -1]), (2, 3), mode=\"wrap\")", "jnp.ravel_multi_index((jnp.array([5, 0]), jnp.array([2, -1])), (2, 3), mode='wrap')"),
    ("modf(i)[0]", "jnp.modf(i)[0]"), ("modf([-inf, 2.5])[0]", "np.modf(np.array([-np.inf, 2.5]))[0]"),
    ("polyint(v, m=2, k=[1.0, 2.0])", "jnp.polyint(v, m=2, k=jnp.array([1.0, 2.0]))"),
    ("concatenate((x, i), axis=none)", "jnp.concatenate((x, i), axis=None)"), ("concatenate((x, i), axis=-1, dtype=i32)", "jnp.concatenate((x, i), axis=-1, dtype=jnp.int32)"),
    ("stack((v, f), dtype=f16)", "jnp.stack((v, f), dtype=jnp.float16)"), ("split(x, [1, 2], axis=1)[1]", "jnp.split(x, [1, 2], axis=1)[1]"),
    ("transpose(t, axes=(0, -1, 1))", "jnp.transpose(t, axes=(0, -1, 1))"), ("transpose(t, 1, 2, 0)", "jnp.transpose(t, (1, 2, 0))"),
    ("select((x < 0, x > 1), (x, x * 2))", "jnp.select([x < 0, x > 1], [x, x * 2])"), ("select([x < 0, x > 1], [x, x * 2], default=9)", "jnp.select([x < 0, x > 1], [x, x * 2], default=9)"),
    ("select((x < 0, x > 1), (x, x * 2), default=9)", "jnp.select([x < 0, x > 1], [x, x * 2], default=9)"), ("select(m, x, -x)", "jnp.where(m, x, -x)"),
    ("tensordot(x, x, axes=([0], [0]))", "jnp.tensordot(x, x, axes=([0], [0]))"),
    # linear algebra
    *[("linalg." + text, python("jnp.linalg." + text)) for text in
      ("vector_norm(x)", "vector_norm(x, axis=0, ord=1)", "vector_norm(x, axis=(0, 1), keepdims=true)", "matrix_norm(t, keepdims=true, ord=1)", "cholesky(q, upper=true)",
       "cholesky(q + s * 0, symmetrize_input=false)", "eigvalsh(s, UPLO=\"U\", symmetrize_input=false)", "eigvalsh(s)", "svd(x, compute_uv=false)",
       "cond(s, p=1)", "cond(s, p=\"fro\")", "cond(s)", "trace(i, dtype=f32)")],
    ("linalg.matrix_rank(x, rtol=0.9)", "np.linalg.matrix_rank(x, rtol=0.9).astype(np.int32)"),
    ("abs(linalg.qr(x, mode=\"r\"))", "abs(jnp.linalg.qr(x, mode='r'))"), ("abs(linalg.qr(x.T, mode=\"complete\")[0])", "abs(jnp.linalg.qr(x.T, mode='complete')[0])"),
    ("abs(linalg.qr(x.T, mode=\"complete\")[1])", "abs(jnp.linalg.qr(x.T, mode='complete')[1])"),
    ("linalg.solve_triangular(s, v, lower=true, trans=1)", "jsp.linalg.solve_triangular(s, v, lower=True, trans=1)"),
    ("linalg.solve_triangular(s, v, trans=\"T\", unit_diagonal=true)", "jsp.linalg.solve_triangular(s, v, trans='T', unit_diagonal=True)"),
    ("linalg.solve_triangular(s, v, trans=\"N\")", "jsp.linalg.solve_triangular(s, v, trans='N')"),
    ("linalg.cho_solve(linalg.cho_factor(q), v)", "jsp.linalg.cho_solve(jsp.linalg.cho_factor(q), v)"),
    ("linalg.cho_solve(linalg.cho_factor(q, lower=true), v)", "jsp.linalg.cho_solve(jsp.linalg.cho_factor(q, lower=True), v)"),
    # networks
    *[("nn." + text, python("nn." + text)) for text in
      ("softmax(x, where=m)", "softmax(x, where=m, axis=0)", "softmax(x, axis=none, where=m)", "softmax(i, where=m)", "log_softmax(x, where=m)", "standardize(x, mean=0.5, variance=2.0)",
       "standardize(x, where=m)", "standardize(x, axis=(0, 1))")],
    ("nn.softmax(x, where=x > 10)", "nn.softmax(x, where=x > 10)"), ("nn.log_softmax(x, where=x > 10)", "nn.log_softmax(x, where=x > 10)"),
    ("grad(fn(y) = sum(nn.softmax(y, where=m) * x))(x)", "jax.grad(lambda y: jnp.sum(nn.softmax(y, where=m) * x))(x)"),
    # statistics
    *[("stats." + text, python("st." + text)) for text in
      ("zscore(x, axis=1, ddof=1)", "zscore(x, axis=none)", "skew(x, axis=1)", "skew(x, axis=none, bias=false)", "skew(x, axis=1, bias=false)", "skew(v)", "kurtosis(x, axis=1)",
       "kurtosis(x, axis=none, fisher=false)", "kurtosis(x, axis=none, bias=false)", "kurtosis(x, axis=none, bias=false, fisher=false)", "entropy(p)", "entropy(p, base=2)",
       "entropy(p, a)", "entropy(p, qk=a, base=10.0)", "entropy(i, axis=1)", "sem(x, axis=none)", "sem(x, axis=1, ddof=0)", "rankdata(x)")],
    ("stats.beta_logpdf(p, 2.0, 3.0, 0.1, 2.0)", "jsp.stats.beta.logpdf(p, 2.0, 3.0, 0.1, 2.0)"), ("stats.chi2_logpdf(v, 3.0, 0.5, 2.0)", "jsp.stats.chi2.logpdf(v, 3.0, 0.5, 2.0)"),
    # special functions: values and derivatives at edges
    ("special.xlogy([0.0, 0.0, 0.0, 1.0, 0.0], [nan, inf, 0.0, 0.0, -1.0])",
     "jsp.special.xlogy(jnp.array([0.0, 0.0, 0.0, 1.0, 0.0]), jnp.array([jnp.nan, jnp.inf, 0.0, 0.0, -1.0]))"),
    ("special.xlog1py([0.0, 0.0, 2.0], [-1.0, nan, 0.5])", "jsp.special.xlog1py(jnp.array([0.0, 0.0, 2.0]), jnp.array([-1.0, jnp.nan, 0.5]))"),
    *[(f"grad(fn(y) = special.{name}({x}, {y}))({at})", f"jax.grad(lambda y: jsp.special.{name}({x}, {y}))({at})")
      for name in ("xlogy", "xlog1py")
      for x, y, at in (("y", "0.0", 0.0), ("y", "-1.0", 0.0), ("0.0", "y", 0.0), ("0.0", "y", -1.0), ("0.0", "y", 2.0), ("2.0", "y", 0.0), ("2.0", "y", 3.0), ("y", "2.0", 0.0))
      if not (name == "xlogy" and ("-1.0" in (x, y) or at == -1.0))],
    ("grad(special.entr)(0.0)", "jax.grad(jsp.special.entr)(0.0)"), ("grad(special.entr)(0.5)", "jax.grad(jsp.special.entr)(0.5)"),
    ("grad(grad(fn(y) = special.xlogy(y, y)))(2.0)", "jax.grad(jax.grad(lambda y: jsp.special.xlogy(y, y)))(2.0)"),
    ("grad(fn(y) = special.rel_entr(y, 0.5))(0.0)", "jax.grad(lambda y: jsp.special.rel_entr(y, 0.5))(0.0)"),
    # JAX returns NaN where the derivative at an end is finite and not 0
    *[(f"grad(fn(y) = special.gammainc({a}, y))(0.0)", f"jnp.float32({d})") for a, d in ((0.5, "jnp.inf"), (1.0, 1.0), (2.0, 0.0))],
    ("grad(fn(y) = special.gammaincc(1.0, y))(0.0)", "jnp.float32(-1.0)"), ("grad(fn(y) = special.gammainc(y, 0.0))(1.0)", "jnp.float32(0.0)"),
    ("grad(fn(y) = special.betainc(1.0, 2.0, y))(0.0)", "jnp.float32(2.0)"), ("grad(fn(y) = special.betainc(2.0, 1.0, y))(1.0)", "jnp.float32(2.0)"),
    ("grad(fn(y) = special.betainc(2.0, 2.0, y))(0.0)", "jnp.float32(0.0)"), ("vmap(fn(y) = special.gammainc(y, 0.0))([0.5, 2.0])", "jnp.zeros(2)"),
    # functions that no other script has
    *[(f"nn.{ours}(random.key(3), (4, 3))", f"nn.initializers.{ours}()(jax.random.key(3), (4, 3))") for ours in
      ("he_uniform", "xavier_uniform", "lecun_uniform", "xavier_normal")],
    ("nn.swish(x)", "nn.swish(x)"), ("signal.general_cosine(7, [0.5, 0.3, 0.2])", "jnp.asarray(windows.general_cosine(7, [0.5, 0.3, 0.2]), dtype=jnp.float32)"),
    ("signal.general_cosine(6, [0.5, 0.5], sym=false)", "jnp.asarray(windows.general_cosine(6, [0.5, 0.5], sym=False), dtype=jnp.float32)"),
    ("linalg.matrix_transpose(t)", "jnp.linalg.matrix_transpose(t)"), ("matrix_transpose(t)", "jnp.matrix_transpose(t)"),
    *[(f"stats.{name}_{kind}(x, 0.5, 2.0)", f"jsp.stats.{name}.{kind}(x, 0.5, 2.0)") for name, kind in
      (("uniform", "logpdf"), ("uniform", "pdf"), ("uniform", "cdf"), ("expon", "cdf"))],
    ("special.erfinv(p)", "jsp.special.erfinv(p)"), ("special.kl_div(p, a)", "jsp.special.kl_div(p, a)"), ("special.kl_div(0.0, 0.5)", "jsp.special.kl_div(0.0, 0.5)"),
    ("stack((bessel_i0e(v), bessel_i1e(v)))", "jnp.stack((jax.lax.bessel_i0e(v), jax.lax.bessel_i1e(v)))"),
    ("euler_gamma", "jnp.float32(np.euler_gamma)"), ("x[:, newaxis]", "x[:, jnp.newaxis]"),
    ("histogram_bin_edges(x, bins=4)", "jnp.histogram_bin_edges(x, bins=4)"), ("histogram_bin_edges(x, bins=2, range=(-1.0, 3.0))", "jnp.histogram_bin_edges(x, bins=2, range=(-1.0, 3.0))"),
    ("atleast_2d(v)", "jnp.atleast_2d(v)"), ("atleast_2d(t)", "jnp.atleast_2d(t)"), ("atleast_3d(v)", "jnp.atleast_3d(v)"), ("atleast_3d(x)", "jnp.atleast_3d(x)"), ("atleast_3d(2.0)", "jnp.atleast_3d(2.0)"),
    ("vsplit(i, 2)[1]", "jnp.vsplit(i, 2)[1]"), ("dsplit(t, 2)[1]", "jnp.dsplit(t, 2)[1]"), ("dsplit(t, (1,))[1]", "jnp.dsplit(t, [1])[1]"),
    ("rev(x, (0,))", "jax.lax.rev(x, (0,))"), ("rev(t, (0, 2))", "jax.lax.rev(t, (0, 2))"),
    ("stack(tril_indices_from(s, k=1))", "jnp.stack(jnp.tril_indices_from(s, k=1))"), ("stack(diag_indices_from(s))", "jnp.stack(jnp.diag_indices_from(s))"),
    ("index_in_dim(t, 1, axis=1)", "jax.lax.index_in_dim(t, 1, axis=1)"), ("index_in_dim(t, -1, axis=2, keepdims=false)", "jax.lax.index_in_dim(t, -1, axis=2, keepdims=False)"),
    ("batch_matmul(t, swapaxes(t, 1, 2))", "jax.lax.batch_matmul(t, jnp.swapaxes(t, 1, 2))"), ("convert_element_type(x, i32)", "jax.lax.convert_element_type(x, jnp.int32)"),
]
write("argument_values", setup, pairs, names)
