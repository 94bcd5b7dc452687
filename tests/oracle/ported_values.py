# Writes ported_values.pm: the values of JAX and SciPy for functions of matrices, gather and scatter, and further functions of jax.numpy, jax.lax and jax.nn.
# python3 ported_values.py > ported_values.pm   (jax 0.10.2, scipy 1.17.1, CPU)
import jax
import jax.numpy as jnp
import jax.scipy.linalg as jsl
import numpy as np
import scipy.linalg as sl
from jax import lax

from expressions import write

jax.config.update("jax_enable_x64", True)


def sylvester(a, b, c):
    """The solution of a @ x + x @ b = c by a system of m n equations."""
    (m, n) = c.shape
    system = jnp.kron(a, jnp.eye(n)) + jnp.kron(jnp.eye(m), b.T)
    return jnp.linalg.solve(system, c.reshape(-1)).reshape(m, n)


def root(a):
    """The square root of a matrix with positive eigenvalues, as SciPy computes it."""
    return jnp.array(sl.sqrtm(np.asarray(a)).astype(complex))


def root_of_gram(a):
    """The square root of the symmetric a.T @ a + 1, which JAX differentiates."""
    w, v = jnp.linalg.eigh(a.T @ a + jnp.eye(len(a)))
    return v * jnp.sqrt(w) @ v.T


def polar(a, side="right"):
    return tuple(jnp.array(x) for x in sl.polar(np.asarray(a), side=side))


def polar_by_svd(a):
    u, s, vt = jnp.linalg.svd(a, full_matrices=False)
    return u @ vt


whole = lambda v: np.asarray(v).astype(np.int32)
single = lambda v: jnp.asarray(v, jnp.float32)
g = lambda *a: lax.GatherDimensionNumbers(*a)
s = lambda *a: lax.ScatterDimensionNumbers(*a)

number = lambda v: repr(round(float(v), 3))
nested = lambda v: "[" + ", ".join(nested(x) for x in v) + "]" if np.ndim(v) else number(v)
draw = np.random.RandomState(0).normal
setup = [(k, f"f64({nested(v)})", f"jnp.array({nested(v)})") for k, v in dict(a=draw(size=(4, 4)), b=draw(size=(3, 3)), c=draw(size=(4, 3)), d=draw(size=(4, 4)), p=draw(size=5)).items()]
setup += [
    ("z", "complex(a, d)", "a + 1j * d"), ("w", "complex(b, b.T)", "b + 1j * b.T"), ("q", "a @ a.T + eye(4)", "a @ a.T + jnp.eye(4)"),
    ("product", "fn((t, z)) = z @ t @ conj(z.mT)", "None"), ("x", "arange(24.0).reshape(2, 3, 4)", "jnp.arange(24, dtype=jnp.float32).reshape(2, 3, 4)"), ("i", "[[0, 1], [1, 2], [1, 3], [-1, 0]]", "jnp.array([[0, 1], [1, 2], [1, 3], [-1, 0]])"),
    ("u", "arange(16.0).reshape(4, 4) + 0.5", "jnp.arange(16, dtype=jnp.float32).reshape(4, 4) + 0.5"), ("image", "sin(arange(64.0)).reshape(1, 2, 4, 8)", "jnp.sin(jnp.arange(64, dtype=jnp.float32)).reshape(1, 2, 4, 8)"),
    ("h", "cos(arange(48.0)).reshape(2, 3, 2, 4)", "jnp.cos(jnp.arange(48, dtype=jnp.float32)).reshape(2, 3, 2, 4)"), ("points", "sin(arange(60.0)).reshape(20, 3)", "jnp.sin(jnp.arange(60, dtype=jnp.float32)).reshape(20, 3)"),
]
f32 = "jnp.float32"
matrices = [
    ("linalg.solve_sylvester(a, b, c)", "jnp.array(sl.solve_sylvester(a, b, c))"), ("linalg.solve_sylvester(z, w, c)", "jnp.array(sl.solve_sylvester(z, w, c))"),
    ("linalg.solve_sylvester(f32(a), f32(b), f32(c))", "single(sl.solve_sylvester(a, b, c))"),
    ("grad(fn(a) = sum(sin(linalg.solve_sylvester(a, b, c))))(a)", "jax.grad(lambda a: jnp.sum(jnp.sin(sylvester(a, b, c))))(a)"),
    ("grad(fn(b) = sum(sin(linalg.solve_sylvester(a, b, c))))(b)", "jax.grad(lambda b: jnp.sum(jnp.sin(sylvester(a, b, c))))(b)"),
    ("hessian(fn(t) = sum(sin(linalg.solve_sylvester(t * a, b, c))))(f64(1.1))", "jax.hessian(lambda t: jnp.sum(jnp.sin(sylvester(t * a, b, c))))(1.1)"),
    ("linalg.sqrtm(a)", "root(a)"), ("linalg.sqrtm(z)", "root(z)"), ("linalg.sqrtm(f32(q))", "root(q).astype(jnp.complex64)"),
    ("grad(fn(a) = sum(sin(real(linalg.sqrtm(a.T @ a + eye(4))))))(a)", "jax.grad(lambda a: jnp.sum(jnp.sin(root_of_gram(a))))(a)"),
    ("grad(fn(a) = sum(sin(real(linalg.funm(a.T @ a + eye(4), sqrt)))))(a)", "jax.grad(lambda a: jnp.sum(jnp.sin(root_of_gram(a))))(a)"),
    ("linalg.funm(a, fn(x) = sin(x) + 2 * cos(x))", "jnp.array(sl.funm(np.asarray(a), lambda x: np.sin(x) + 2 * np.cos(x)).astype(complex))"), ("linalg.funm(z, exp)", "jnp.array(sl.expm(z))"),
    ("linalg.expm_frechet(a, d)[1]", "jnp.array(sl.expm_frechet(a, d)[1])"), ("linalg.expm_frechet(a, d, compute_expm=false)", "jsl.expm_frechet(a, d, compute_expm=False)"),
    *[(f"linalg.polar({m}, side=\"{side}\")[{k}]", f"polar({m}, \"{side}\")[{k}]") for m, side in (("a", "right"), ("z", "left"), ("c", "right"), ("c.T", "right"), ("c.T", "left")) for k in (0, 1) if (m, side, k) != ("c.T", "right", 0)],
    ("grad(fn(c) = sum(sin(linalg.polar(c)[0])))(c)", "jax.grad(lambda c: jnp.sum(jnp.sin(polar_by_svd(c))))(c)"),
    ("hessian(fn(t) = sum(sin(linalg.polar(a + t * d)[0])))(f64(0.3))", "jax.hessian(lambda t: jnp.sum(jnp.sin(polar_by_svd(a + t * d))))(0.3)"),
    ("product(linalg.schur(a))", "a"), ("product(linalg.schur(a, output=\"complex\"))", "a + 0j"), ("product(linalg.schur(z))", "z"), ("product(linalg.rsf2csf(*linalg.schur(stack((a, d)))))", "jnp.stack((a, d)) + 0j"),
    ("linalg.hessenberg(a)", "jnp.array(sl.hessenberg(a))"), ("linalg.hessenberg(z, calc_q=true)[1]", "jnp.array(sl.hessenberg(z, calc_q=True)[1])"),
    ("linalg.eigh_tridiagonal(p, p[1:], eigvals_only=true)", "jnp.array(sl.eigh_tridiagonal(p, p[1:], eigvals_only=True))"),
    ("linalg.eigh_tridiagonal(p, p[1:], eigvals_only=true, select=\"i\", select_range=(1, 3))", "jnp.array(sl.eigh_tridiagonal(p, p[1:], eigvals_only=True, select='i', select_range=(1, 3)))"),
    ("linalg.eigh_tridiagonal(p, p[1:], eigvals_only=true, select=\"v\", select_range=(-0.5, 1.5))", "jnp.array(sl.eigh_tridiagonal(p, p[1:], eigvals_only=True, select='v', select_range=(-0.5, 1.5)))"),
    ("abs(linalg.qr_multiply(c, d)[0])", "abs(jsl.qr_multiply(c, d)[0])"), ("abs(linalg.qr_multiply(c, b, mode=\"left\")[0])", "abs(jsl.qr_multiply(c, b, mode='left')[0])"),
    ("linalg.companion(p)", "jnp.array(sl.companion(p))"), ("linalg.fiedler_companion(p)", "jsl.fiedler_companion(p)"), ("linalg.fiedler(p)", "jsl.fiedler(p)"), ("linalg.leslie(p, p[1:])", "jsl.leslie(p, p[1:])"),
    *[(f"linalg.convolution_matrix(p, {n}, mode=\"{mode}\")", f"jnp.array(sl.convolution_matrix(p, {n}, mode='{mode}'))") for n in (3, 7) for mode in ("full", "same", "valid")],
    ("linalg.hadamard(8)", "whole(sl.hadamard(8))"), *[(f"linalg.dft(5, scale={ours})", f"np.asarray(sl.dft(5, scale={theirs})).astype(np.complex64)") for ours, theirs in (("none", "None"), ('"n"', "'n'"), ('"sqrtn"', "'sqrtn'"))],
    ("linalg.helmert(4)", "sl.helmert(4)"), ("linalg.helmert(4, full=true)", "sl.helmert(4, full=True)"), ("linalg.invhilbert(6)", "sl.invhilbert(6)"), ("linalg.invhilbert(9, dtype=f64)", "jnp.array(sl.invhilbert(9))"),
    *[(f"linalg.{f}(6, kind=\"{kind}\")", f"single(sl.{f}(6, kind='{kind}'))") for f in ("pascal", "invpascal") for kind in ("symmetric", "lower", "upper")],
]
rows, cube = "((1,), (0, 1), (0, 1))", "((0, 2), (0,), (0, 1))"
indexing = [
    (f"gather(x, i, GatherDimensionNumbers{rows}, (1, 1, 4))", f"lax.gather(x, i, g{rows}, (1, 1, 4))"),
    (f"gather(x, i, GatherDimensionNumbers{cube}, (1, 2, 4), mode=\"fill\")", f"lax.gather(x, i, g{cube}, (1, 2, 4), mode='fill')"),
    (f"gather(i32(x), i, GatherDimensionNumbers{rows}, (1, 1, 4), mode=\"fill\")", f"lax.gather(x.astype(jnp.int32), i, g{rows}, (1, 1, 4), mode='fill')"),
    ("gather(x, [[1], [2]], GatherDimensionNumbers((1,), (1,), (1,), (0,), (0,)), (1, 1, 4))", "lax.gather(x, jnp.array([[1], [2]]), g((1,), (1,), (1,), (0,), (0,)), (1, 1, 4))"),
    (f"grad(fn(x) = sum(gather(x, i, GatherDimensionNumbers{rows}, (1, 1, 4), mode=\"clip\") ** 2))(x)", f"jax.grad(lambda x: jnp.sum(lax.gather(x, i, g{rows}, (1, 1, 4), mode='clip') ** 2))(x)"),
    *[(f"scatter{f}(x, i, u, ScatterDimensionNumbers{rows}{mode})", f"lax.scatter{f}(x, i, u, s{rows}{mode})") for f in ("_add", "_sub", "_mul", "_min", "_max") for mode in ("", ", mode=\"clip\"")],
    ("scatter(x, [[1], [2]], u[:2], ScatterDimensionNumbers((1,), (1,), (1,), (0,), (0,)))", "lax.scatter(x, jnp.array([[1], [2]]), u[:2], s((1,), (1,), (1,), (0,), (0,)))"),
    (f"grad(fn(u) = sum(scatter_add(x, i, u, ScatterDimensionNumbers{rows}) ** 2))(u)", f"jax.grad(lambda u: jnp.sum(lax.scatter_add(x, i, u, s{rows}) ** 2))(u)"),
    ("ragged_dot(x[0].T, x.reshape(2, 3, 4), [1, 2])", "lax.ragged_dot(x[0].T, x.reshape(2, 3, 4), jnp.array([1, 2]))"),
    ("put(arange(5), [0, 7], [9, 8], mode=\"clip\")", "whole(jnp.put(jnp.arange(5), jnp.array([0, 7]), jnp.array([9, 8]), mode='clip', inplace=False))"),
    ("put(u, [0, 7, -1], [9.0])", "jnp.put(u, jnp.array([0, 7, 15]), jnp.array([9.0]), inplace=False)"), ("place(u, u > 7, [9.0, 8.0])", "jnp.place(u, u > 7, jnp.array([9.0, 8.0]), inplace=False)"),
    ("stack(mask_indices(3, triu, 1))", "whole(jnp.stack(jnp.mask_indices(3, jnp.triu, 1)))"), ("sort_complex([[3, 1j], [2, 1]])", "np.asarray(jnp.sort_complex(jnp.array([[3, 1j], [2, 1]])))"),
    ("approx_max_k(u, 2)[0]", "lax.approx_max_k(u, 2)[0]"), ("approx_min_k(u, 2, reduction_dimension=0)[1]", "whole(lax.approx_min_k(u, 2, reduction_dimension=0)[1])"),
]
bits, floats = "[2147483647, -5, 77]", "[1.2345678, 1e30, 1e-30, 65519.0, 65520.0, 6e-5, inf, nan, -3.14159]"
edges = "(2, 3, [-1.0, 0.0, 0.5, 1.0])"
others = [
    *[(f"histogramdd(points, bins={edges}{more})[0]", f"single(np.histogramdd(np.asarray(points), bins=[2, 3, np.array([-1.0, 0.0, 0.5, 1.0])]{theirs})[0])") for more, theirs in ((", density=true", ", density=True"), (", weights=points[:, 0]", ", weights=np.asarray(points[:, 0])"))],
    ("histogramdd(points, bins=2)[1][2]", "jnp.histogramdd(points, bins=2)[1][2]"),
    (f"mulhi({bits}, [4, 3, 99999999])", f"whole(lax.mulhi(jnp.array({bits}, jnp.int32), jnp.array([4, 3, 99999999], jnp.int32)))"),
    (f"reduce_precision({floats}, 5, 10)", f"lax.reduce_precision(jnp.array({floats.replace('inf', 'jnp.inf').replace('nan', 'jnp.nan')}, {f32}), 5, 10)"),
    ("reduce_precision(p, 8, 7)", "lax.reduce_precision(p, 8, 7)"), ("grad(fn(x) = reduce_precision(x, 5, 3) * 1.2345)(1.7)", "jax.grad(lambda x: lax.reduce_precision(x, 5, 3) * 1.2345)(single(1.7))"),
    ("reduce_xor([[5, 3, 1], [8, 3, 0]], 0)", "whole(lax.reduce_xor(jnp.array([[5, 3, 1], [8, 3, 0]]), (0,)))"), ("broadcast_to_rank(u, 3)", "lax.broadcast_to_rank(u, 3)"), ("broadcast_like(1.5, u)", "lax.broadcast_like(single(1.5), u)"),
    ("igamma_grad_a([0.5, 2.0, 9.0], [1.0, 3.0, 8.0])", "lax.igamma_grad_a(single([0.5, 2.0, 9.0]), single([1.0, 3.0, 8.0]))"),
    ("conv_general_dilated_patches(image, (2, 3), (2, 1), \"SAME\")", "lax.conv_general_dilated_patches(image, (2, 3), (2, 1), 'SAME')"),
    ("conv_general_dilated_patches(image, (2, 2), (1, 2), ((1, 0), (0, 2)), lhs_dilation=(2, 1), rhs_dilation=(1, 2), dimension_numbers=(\"NHCW\", \"OIHW\", \"NHWC\"))",
     "lax.conv_general_dilated_patches(image, (2, 2), (1, 2), ((1, 0), (0, 2)), lhs_dilation=(2, 1), rhs_dilation=(1, 2), dimension_numbers=('NHCW', 'OIHW', 'NHWC'))"),
    *[(f"conv_transpose(image, h, (2, 3), \"{padding}\", dimension_numbers=(\"NCHW\", \"HWIO\", \"NHWC\"){more})".replace("h,", kernel + ","), f"lax.conv_transpose(image, {kernel}, (2, 3), '{padding}', dimension_numbers=('NCHW', 'HWIO', 'NHWC'){theirs})")
      for padding, kernel, more, theirs in (("SAME", "h", "", ""), ("VALID", "h.transpose(1, 0, 3, 2)", ", transpose_kernel=true", ", transpose_kernel=True"))],
    ("linear_transpose(fn(x) = 2 * x + conj(x), p)(p)[0]", "jax.linear_transpose(lambda x: 2 * x + jnp.conj(x), p)(p)[0]"),
    ("nn.dot_product_attention(h, h[:, :, :1], h[:, :, :1], is_causal=true)", "jax.nn.dot_product_attention(h, h[:, :, :1], h[:, :, :1], is_causal=True)"),
    ("nn.log1mexp([0.0, 1e-3, 1.0, 20.0, -1.0])", "jax.nn.log1mexp(single([0.0, 1e-3, 1.0, 20.0, -1.0]))"), ("nn.logmeanexp(u, axis=1, where=u[0] > 1)", "jax.nn.logmeanexp(u, axis=1, where=u[0] > 1)"),
    ("nn.sparse_plus(p)", "jax.nn.sparse_plus(p)"), ("nn.sparse_sigmoid(p)", "jax.nn.sparse_sigmoid(p)"), ("nn.truncated_normal_init()(random.key(3), (5,))", "jax.nn.initializers.truncated_normal(dtype=jnp.float32)(jax.random.key(3), (5,))"),
]
casts = [f"can_cast({a}, {b})" for a in ("i8", "u8", "i32", "u64", "bf16", "f32", "c64") for b in ("u8", "i16", "f16", "bf16", "f32", "f64", "c64")]
long = dict(i8="int8", u8="uint8", i16="int16", i32="int32", u64="uint64", f16="float16", bf16="bfloat16", f32="float32", f64="float64", c64="complex64")
casts = [(t, "np.asarray(jnp.can_cast({}, {}))".format(*(f"jnp.{long[k]}" for k in t[9:-1].split(", ")))) for t in casts]
names = dict(globals())
write("ported_values", setup, matrices + indexing + others + casts, names)
