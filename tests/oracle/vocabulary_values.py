# Writes vocabulary_values.pm: the values of JAX, or of NumPy or SciPy if JAX has no such function, for global functions that prelude_values.py does
# not have, and for special functions, samplers, windows. python3 vocabulary_values.py > vocabulary_values.pm   (jax 0.10.2, numpy 2.4.6, scipy 1.17.1, CPU)
import re

import jax
import jax.numpy as jnp
import jax.scipy as jsp
import numpy as np
import scipy.special as sp
from jax import lax

from expressions import write


def wide(f):
    with jax.enable_x64(True): return f()


def gathered(*parts):
    """Arrays of different shapes as one vector."""
    return jnp.concatenate([jnp.ravel(p).astype(jnp.float32) for p in parts])


def conv(x, w, strides, padding, numbers=None, **more): return lax.conv_general_dilated(x, w, strides, padding, dimension_numbers=numbers, **more)


names = dict(jnp=jnp, jax=jax, jsp=jsp, np=np, lax=lax, sp=sp, r=jax.random, key=jax.random.key, wide=wide, gathered=gathered, conv=conv, f64=lambda v: jnp.array(v, jnp.float64))
setup = [
    ("x", "arange(12.0).reshape(3, 4) / 4 - 1", "jnp.arange(12.0).reshape(3, 4) / 4 - 1"),
    ("v", "[3.0, -1.0, 2.0, 0.5]", "jnp.array([3.0, -1.0, 2.0, 0.5])"),
    ("w", "[0.5, 1.5, -2.0, 1.0]", "jnp.array([0.5, 1.5, -2.0, 1.0])"),
    ("i", "[3, 0, 2, 3, 1]", "jnp.array([3, 0, 2, 3, 1])"),
    ("h", "[[1.0, nan, 3.0, 7.0], [nan, nan, 2.0, -1.0]]", "jnp.array([[1.0, jnp.nan, 3.0, 7.0], [jnp.nan, jnp.nan, 2.0, -1.0]])"),
    ("m", "[[2.0, 1.0], [1.0, 3.0]]", "jnp.array([[2.0, 1.0], [1.0, 3.0]])"),
    ("z", "random.normal(random.key(3), (2, 5, 6, 4))", "r.normal(key(3), (2, 5, 6, 4))"),
    ("k", "random.normal(random.key(4), (3, 2, 2, 6))", "r.normal(key(4), (3, 2, 2, 6))"),
    ("c", "random.normal(random.key(5), (2, 4, 7, 5))", "r.normal(key(5), (2, 4, 7, 5))"),
    ("o", "random.normal(random.key(6), (3, 4, 3, 2))", "r.normal(key(6), (3, 4, 3, 2))"),
    ("even", "[true, false, true, false]", "jnp.array([True, False, True, False])"),
]
same = """
polyfit(v, w, 2) | polyfit(arange(4.0), x.T, 1) | polyfit(v, w, 1, w=[1.0, 2.0, 0.5, 1.0]) | polyfit(arange(6.0), sin(arange(6.0)), 2, cov=true)[1] | polyfit(arange(6.0), sin(arange(6.0)), 1, cov="unscaled")[1] | polyfit(arange(6.0), cos(arange(6.0)), 2, full=true)[1]
polyfit(arange(6.0), cos(arange(6.0)), 2, full=true)[3] | polyadd(v, w[:2]) | polysub(w[:2], v) | polymul(v, w[:3]) | polyder(v) | polyder(v, 2) | polyint(v) | polyint(v, 2, k=3) | poly(v) | polyval(v, x)
partition(i, 2)[2] | argpartition(i, 2)[2] | nanargmax(h) | nanargmax(h, axis=1) | nanargmin(h, axis=1) | nanargmin(h, axis=0, keepdims=true)
repeat(i, 2) | repeat(v, i[:4]) | repeat(x, [2, 0, 1], axis=0) | repeat(x, [1, 2, 0, 3], axis=1) | repeat(v, i[:4], total_repeat_length=10) | repeat(v, i[:4], total_repeat_length=5) | repeat(x, 2, axis=1) | repeat(v, [3])
mean(x, where=x > 0) | mean(x, axis=1, where=even) | var(x, axis=0, where=x > -1) | std(x, axis=1, ddof=1, where=even) | mean(i, dtype=float16) | median(x, axis=(0, 1)) | median(x, axis=0, keepdims=true) | median(z, axis=(0, 2))
quantile(x, 0.3, axis=1, keepdims=true) | quantile(x, [0.1, 0.5], axis=(0, 1)) | quantile(v, 0.4, method="lower") | quantile(v, 0.4, method="higher") | quantile(v, 0.4, method="nearest") | quantile(v, 0.4, method="midpoint") | quantile(z, 0.7, axis=(1, 3), keepdims=true) | percentile(x, [20, 80], axis=0, method="lower")
nanmedian(h) | nanmedian(h, axis=0) | nanquantile(h, 0.3, axis=1) | nanquantile(h, [0.2, 0.9], axis=0, keepdims=true) | nanpercentile(h, 40, method="higher") | average(x, axis=0, keepdims=true) | average(x, axis=1, weights=v, returned=true)[1] | nancumsum(h, axis=1) | nancumprod(h[0])
cumulative_sum(v) | cumulative_sum(x, axis=1, include_initial=true) | cumulative_prod(x, axis=0, include_initial=true) | union1d(i, i + 2) | intersect1d(i, [5, 3, 1]) | setdiff1d(i, [3, 1]) | setxor1d(i, [5, 3]) | union1d(i, [9], size=8) | union1d(i, [9], size=8, fill_value=-5) | intersect1d(i, [5, 3, 1], size=4) | setdiff1d(i, [3, 1], size=4) | setdiff1d(i, [3, 1], size=4, fill_value=7) | setxor1d(i, [5, 3], size=6)
unique_counts(i)[1] | unique_inverse(i)[1] | unique_all(i)[1] | unique_values(i) | bitwise_count(i) | packbits(i > 1) | packbits(x > 0, axis=1) | packbits(i > 1, bitorder="little") | unpackbits(uint8([5, 200])) | unpackbits(uint8([5, 200]), count=11) | unpackbits(uint8([5, 200]), bitorder="little")
pad(x, 1, mode="linear_ramp", end_values=5) | pad(v, (2, 1), mode="linear_ramp", end_values=(1.0, -2.0)) | pad(x, ((1, 2), (0, 1)), mode="mean") | pad(x, 2, mode="median") | pad(x, 1, mode="maximum") | pad(x, (1, 2), mode="minimum", stat_length=2) | pad(x, ((1, 1), (2, 0)), mode="maximum", stat_length=((1, 2), (3, 1))) | pad(i, 2, mode="mean") | pad(x, 1, constant_values=(4.0, 5.0)) | pad(x, ((1, 1), (1, 0)), constant_values=((1.0, 2.0), (3.0, 4.0))) | pad(i, 1, mode="linear_ramp", end_values=9) | pad(x, ((1, 2),))
insert(i, 1, 9) | insert(v, (0, 3), (7.0, 8.0)) | insert(x, 1, 5.0, axis=0) | insert(x, 2, v[:3], axis=1) | insert(x, (1, 1), 9.0, axis=1) | delete(i, 1) | delete(x, (0, 2), axis=0) | delete(x, -1, axis=1) | trim_zeros(i[1:2]) | diagflat(x[:2, :2]) | fill_diagonal(x, 7.0) | fill_diagonal(x, [1.0, 2.0]) | resize(i, (2, 4)) | rollaxis(z, 3, 1) | put_along_axis(x, [[1], [0], [3]], 9.0, axis=1) | choose([0, 1, 0, 1], (v, w)) | choose([0, 5, -3, 1], (v, w), mode="clip") | choose([0, 5, -3, 1], (v, w), mode="wrap")
moveaxis(z, (0, 1), (-1, 1)) | moveaxis(z, (3, 0), (0, 2)) | roll(x, (1, -2), (0, 1)) | linspace(v, w, 3) | linspace(v, 2.0, 4, axis=1) | linspace(0, 9, 4, dtype=int32) | linspace(0.0, 1.0, 5, endpoint=false, retstep=true)[1] | stack(broadcast_arrays(v, x)) | stack(meshgrid(v, w[:2], i[:3])) | meshgrid(v, w, sparse=true)[1] | stack(meshgrid(v, w[:2], i[:3], indexing="ij"))
diff(v, prepend=0.0) | diff(x, axis=0, append=x[:1]) | ediff1d(v, to_begin=9.0, to_end=[1.0, 2.0]) | stack(gradient(x)) | gradient(x, 0.5, axis=0) | gradient(v, [0.0, 1.0, 3.0, 4.0]) | stack(gradient(x, 2.0, [0.0, 1.0, 3.0, 4.0])) | cross(v[:2], w[:2]) | cross(v[:3], w[:2]) | cross(v[:2], w[:3]) | kron(x, m) | kron(v, m) | interp([-1.0, 7.0, 2.0], [3.0, 0.0, 1.0], [1.0, 2.0, 5.0], period=4.0) | unwrap([0.0, 3.0, 6.5, 10.0, 1.0, -6.0]) | unwrap(x * 6, axis=0) | spacing(v) | degrees(v) | radians(v) | frexp(v)[0] | frexp(v)[1] | isposinf([inf, -inf, 1.0]) | isneginf([inf, -inf, 1.0])
histogram(z, bins=5, density=true)[0] | histogram2d(v, w, bins=3)[0] | histogram2d(ravel(z[0]), ravel(z[1]), bins=(3, 4), density=true)[0] | logsumexp(x, axis=1, where=x > -0.5) | logsumexp(v, b=[1.0, -2.0, 1.0, -0.5], return_sign=true)[0] | logsumexp(v, b=[1.0, -2.0, -9.0, -0.5], return_sign=true)[1]
broadcast_in_dim(v, (4, 3), (0,)) | collapse(z, 1, 3) | collapse(z, 1) | select_n([true, false, true, false], v, w) | select_n([0, 1, 2, 1], v, w, v * w) | integer_pow(v, 3) | clz(i) | clz(uint8([1, 200, 0])) | cumlogsumexp(x, axis=1) | cumlogsumexp(v, reverse=true) | reduce_sum(x, (0,)) | reduce_max(x, (1,)) | reduce_and(x > -1, (0, 1)) | diagonal(linalg.cholesky(m)) | linalg.diagonal(z) | linalg.trace(z[..., :4])
linalg.pinv(x) | linalg.lstsq(x, x[:, :2])[0] | linalg.lstsq(x[:, :2], w[:3])[1] | linalg.lstsq(x, x[:, :2])[2] | linalg.lstsq(x, x[:, :2])[3][:2] | linalg.tensorsolve(ravel(z)[:36].reshape(2, 3, 3, 2), x[:2, :3]) | linalg.det(z[..., :4, :4])
"""
# (in the language, in JAX)
pairs = [
    ("frexp([0.0, 1e-40, -3e38, inf])[0]", "np.frexp(np.float32([0.0, 1e-40, -3e38, np.inf]))[0]"), ("frexp([0.0, 1e-40, -3e38])[1]", "np.frexp(np.float32([0.0, 1e-40, -3e38]))[1]"),
    ("poly([2.0])", "jnp.poly(jnp.array([2.0]))"), ("poly(m)", "jnp.poly(m).real"), ("polydiv(v, w[:2])[0]", "jnp.polydiv(v, w[:2])[0]"), ("polydiv(v, w[:2])[1]", "jnp.concatenate((jnp.zeros(3), jnp.polydiv(v, w[:2], trim_leading_zeros=False)[1][-1:]))"), ("block((([1, 2], [3]), ([4], [5, 6])))", "jnp.block([[jnp.array([1, 2]), jnp.array([3])], [jnp.array([4]), jnp.array([5, 6])]])"),
    ("block(((m, x[:2, :1]), (x[:1, :2], [[1.0]])))", "jnp.block([[m, x[:2, :1]], [x[:1, :2], jnp.array([[1.0]])]])"), ("trim_zeros([0, 0, 1, 0, 2, 0])", "jnp.array([1, 0, 2])"), ('trim_zeros([0, 1, 0], trim="f")', "jnp.array([1, 0])"),
    ("ix_([1, 2], [0, 3])[1]", "jnp.array([[0, 3]])"), ("x[ix_([1, 2], [0, 3])[0], ix_([1, 2], [0, 3])[1]]", "x[jnp.ix_(jnp.array([1, 2]), jnp.array([0, 3]))]"), ("array(broadcast_shapes((2, 1), (3,), (1, 1)))", "jnp.array(jnp.broadcast_shapes((2, 1), (3,), (1, 1)))"),
    ("apply_along_axis(fn(r) = outer(r, r), 0, x)", "jnp.apply_along_axis(lambda r: jnp.outer(r, r), 0, x)"), ("apply_along_axis(fn(r, a) = sum(r) * a, 1, x, 2.0)", "jnp.apply_along_axis(lambda r, a: r.sum() * a, 1, x, 2.0)"), ("apply_over_axes(fn(y, a) = sum(y, axis=a), z, (0, 2))", "jnp.apply_over_axes(jnp.sum, z, (0, 2))"),
    ("fromfunction(fn(a, b) = a * 10 + b, (2, 3))", "jnp.fromfunction(lambda a, b: a * 10 + b, (2, 3), dtype=float)"), ("vectorize(fn(a, b) = where(a > b, a, -b))(v, x)", "jnp.vectorize(lambda a, b: jnp.where(a > b, a, -b))(v, x)"),
    ("jit(fn(a, n) = roll(a, n[1]))(v, [0, -3])", "jnp.roll(v, -3)"), ("jit(fn(a, n) = roll(a, n[1], axis=1))(x, [0, 9])", "jnp.roll(x, 9, axis=1)"), ("vmap(fn(a, n) = roll(a, n))(x, [1, -1, 2])", "jax.vmap(jnp.roll)(x, jnp.array([1, -1, 2]))"),
    ("jit(fn(a, n) = repeat(a, n, total_repeat_length=8))(v, i[:4])", "jnp.repeat(v, i[:4], total_repeat_length=8)"), ("grad(fn(a) = sum(repeat(a, i[:4], total_repeat_length=8) ** 2))(v)", "jax.grad(lambda a: (jnp.repeat(a, i[:4], total_repeat_length=8) ** 2).sum())(v)"), ("vmap(fn(a, n) = repeat(a, n, total_repeat_length=6))(x, [[1, 2, 0, 1], [0, 0, 0, 6], [3, 1, 1, 1]])", "jax.vmap(lambda a, n: jnp.repeat(a, n, total_repeat_length=6))(x, jnp.array([[1, 2, 0, 1], [0, 0, 0, 6], [3, 1, 1, 1]]))"),
    ("reduce(x, 1.0, fn(a, b) = a * b, (0,))", "lax.reduce(x, 1.0, lax.mul, (0,))"), ("reduce(z, -inf, maximum, (1, 3))", "lax.reduce(z, -jnp.inf, lax.max, (1, 3))"), ("grad(fn(a) = sum(reduce(a, 0.0, fn(p, q) = p + q + p * q, (1,))))(x)", "jax.grad(lambda a: (jnp.prod(1 + a, axis=1) - 1).sum())(x)"),
    ("grad(fn(a) = sum(polyfit(a, w, 1) ** 2))(v)", "jax.grad(lambda a: (jnp.polyfit(a, w, 1) ** 2).sum())(v)"), ("vmap(fn(y) = polyfit(v, y, 2))(x)", "jax.vmap(lambda y: jnp.polyfit(v, y, 2))(x)"), ("grad(fn(a) = sum(pad(a, 1, mode=\"mean\") ** 2))(v)", "jax.grad(lambda a: (jnp.pad(a, 1, mode='mean') ** 2).sum())(v)"), ("grad(fn(a) = quantile(a, 0.4))(v)", "jax.grad(lambda a: jnp.quantile(a, 0.4))(v)"),
    ("grad(fn(a) = logsumexp(a, where=even))(v)", "jax.grad(lambda a: jsp.special.logsumexp(a, where=even))(v)"), ("grad(fn(a) = nanmedian(a))(h[0])", "jax.grad(jnp.nanmedian)(h[0])"), ("grad(fn(a) = sum(frexp(a)[0] ** 2))(v)", "2 * jnp.frexp(v)[0] * 2.0 ** -jnp.frexp(v)[1]"), ("grad(fn(a) = std(a, where=even))(v)", "jax.grad(lambda a: jnp.std(a, where=even))(v)"),
    ('conv_general_dilated(c, o, (1, 2), "SAME")', 'conv(c, o, (1, 2), "SAME")'), ('conv_general_dilated(c, o, (1, 1), ((1, 2), (0, 1)), lhs_dilation=(2, 1), rhs_dilation=(1, 2))', 'conv(c, o, (1, 1), ((1, 2), (0, 1)), lhs_dilation=(2, 1), rhs_dilation=(1, 2))'),
    ('conv_general_dilated(z, k, (2, 1), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC"), feature_group_count=2)', 'conv(z, k, (2, 1), "VALID", ("NHWC", "HWIO", "NHWC"), feature_group_count=2)'), ('conv_general_dilated(z, o, (1, 1), "SAME", dimension_numbers=("NHWC", "OIHW", "HWNC"))', 'conv(z, o, (1, 1), "SAME", ("NHWC", "OIHW", "HWNC"))'), ('conv(c, o, (2, 2), "VALID")', 'lax.conv(c, o, (2, 2), "VALID")'),
    ('grad(fn(a) = sum(conv_general_dilated(c, a, (2, 1), "SAME", rhs_dilation=(1, 2)) ** 2))(o)', 'jax.grad(lambda a: (conv(c, a, (2, 1), "SAME", rhs_dilation=(1, 2)) ** 2).sum())(o)'),
    ('reduce_window(z, -inf, maximum, (1, 2, 2, 1), (1, 2, 1, 1), "SAME")', 'lax.reduce_window(z, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 1, 1), "SAME")'), ("reduce_window(x, 0.0, add, (2, 2))", "lax.reduce_window(x, 0.0, lax.add, (2, 2), (1, 1), 'VALID')"), ("reduce_window(x, 0.0, add, (2, 2), padding=((1, 0), (0, 2)), base_dilation=(2, 1), window_dilation=(1, 2))", "lax.reduce_window(x, 0.0, lax.add, (2, 2), (1, 1), ((1, 0), (0, 2)), (2, 1), (1, 2))"),
    ("grad(fn(a) = sum(reduce_window(a, -inf, maximum, (2, 2)) ** 2))(x)", "jax.grad(lambda a: (lax.reduce_window(a, -jnp.inf, lax.max, (2, 2), (1, 1), 'VALID') ** 2).sum())(x)"),
    *[(f"random.{f}", g) for f, g in [
        ("binomial(random.key(1), 20, 0.3, (6,))", "r.binomial(key(1), 20, 0.3, (6,))"), ("binomial(random.key(2), 1000.0, [0.1, 0.5, 0.9])", "r.binomial(key(2), 1000.0, jnp.array([0.1, 0.5, 0.9]))"), ("binomial(random.key(3), [5.0, 100.0, -1.0, 7.0], [0.8, 0.4, 0.5, nan])", "r.binomial(key(3), jnp.array([5.0, 100.0, -1.0, 7.0]), jnp.array([0.8, 0.4, 0.5, jnp.nan]))"),
        ("multinomial(random.key(4), 50, [0.2, 0.3, 0.5])", "r.multinomial(key(4), 50, jnp.array([0.2, 0.3, 0.5]))"), ("multinomial(random.key(4), [5, 80], [[0.2, 0.3, 0.5], [0.0, 1.0, 0.0]])", "r.multinomial(key(4), jnp.array([5, 80]), jnp.array([[0.2, 0.3, 0.5], [0.0, 1.0, 0.0]]))"), ("f(random.key(5), [2.0, 5.0], 7.0)", "r.f(key(5), jnp.array([2.0, 5.0]), 7.0, (2,))"), ("wald(random.key(6), 2.0, (4,))", "r.wald(key(6), 2.0, (4,))"),
        ("generalized_normal(random.key(7), 1.5, (4,))", "r.generalized_normal(key(7), 1.5, (4,))"), ("ball(random.key(8), 3, shape=(2,))", "r.ball(key(8), 3, shape=(2,))"), ("double_sided_maxwell(random.key(9), [1.0, 2.0], 0.5, (3,))", "r.double_sided_maxwell(key(9), jnp.array([1.0, 2.0]), 0.5, (3,))")]],
    *[(f"special.{f}", f"wide(lambda: f64(sp.{g}))") for f, g in [
        ("gammainc(f64([0.01, 0.5, 3.0, 11.9, 11.9]), f64([0.2, 0.2, 5.0, 2.0, 25.0]))", "gammainc([0.01, 0.5, 3.0, 11.9, 11.9], [0.2, 0.2, 5.0, 2.0, 25.0])"), ("gammainc(f64([12.0, 12.0, 50.0, 300.0, 5000.0]), f64([3.0, 14.0, 49.0, 330.0, 4950.0]))", "gammainc([12.0, 12.0, 50.0, 300.0, 5000.0], [3.0, 14.0, 49.0, 330.0, 4950.0])"),
        ("gammaincc(f64([0.01, 0.5, 3.0, 11.9, 12.0, 80.0]), f64([0.2, 9.0, 30.0, 25.0, 60.0, 100.0]))", "gammaincc([0.01, 0.5, 3.0, 11.9, 12.0, 80.0], [0.2, 9.0, 30.0, 25.0, 60.0, 100.0])"), ("gammainc(f64([1.0, 1.0, 2.0, -1.0]), f64([0.0, inf, -1.0, 2.0]))", "gammainc([1.0, 1.0, 2.0, -1.0], [0.0, np.inf, -1.0, 2.0])"),
        ("betainc(f64([0.5, 20.0, 300.0, 2.0, 2.0, 0.1]), f64([3.0, 40.0, 500.0, 3.0, 3.0, 0.2]), f64([0.9, 0.3, 0.38, 0.0, 1.0, 0.5]))", "betainc([0.5, 20.0, 300.0, 2.0, 2.0, 0.1], [3.0, 40.0, 500.0, 3.0, 3.0, 0.2], [0.9, 0.3, 0.38, 0.0, 1.0, 0.5])"), ("zeta(f64([1.5, 3.0, 20.0, 1.0]), f64([0.7, 1.0, 4.0, 2.0]))", "zeta([1.5, 3.0, 20.0, 1.0], [0.7, 1.0, 4.0, 2.0])"),
        ("polygamma(f64([0, 1, 2, 5]), f64([0.3, 0.3, 4.0, 25.0]))", "polygamma([0, 1, 2, 5], [0.3, 0.3, 4.0, 25.0])"), ("poch(f64([2.0, 0.5]), f64(3.0))", "poch([2.0, 0.5], 3.0)"), ("gammasgn(f64([2.0, -0.5, -1.5]))", "gammasgn([2.0, -0.5, -1.5])"), ("boxcox(f64([0.5, 2.0]), f64([0.0, 1.5]))", "boxcox([0.5, 2.0], [0.0, 1.5])"), ("boxcox1p(f64([0.5, 2.0]), f64([0.0, 1.5]))", "boxcox1p([0.5, 2.0], [0.0, 1.5])"), ("multigammaln(f64(4.5), 3)", "multigammaln(4.5, 3)")]],
    ("igamma(2.5, v)", "jnp.array(sp.gammainc(2.5, v), jnp.float32)"), ("igammac(2.5, abs(v))", "lax.igammac(jnp.full(4, 2.5), jnp.abs(v))"), ("polygamma(2, abs(v))", "jsp.special.polygamma(2, jnp.abs(v))"), ("zeta(2.5, abs(v))", "jsp.special.zeta(2.5, jnp.abs(v))"), ("betainc(2.0, 1.5, [0.1, 0.6])", "jsp.special.betainc(2.0, 1.5, jnp.array([0.1, 0.6]))"),
    ("grad(fn(a, t) = igamma(a, t), argnums=(0, 1))(2.5, 1.7)[0]", "jax.grad(lax.igamma, argnums=0)(2.5, 1.7)"), ("vmap(grad(fn(t) = betainc(2.0, 1.5, t)))([0.1, 0.6])", "jax.vmap(jax.grad(lambda t: jsp.special.betainc(2.0, 1.5, t)))(jnp.array([0.1, 0.6]))"),
    *[(f'quantile(f64({data}), f64([0.0, 0.1, 0.25, 0.3, 0.5, 0.9, 1.0]), method="{how}")', f'wide(lambda: f64(np.quantile({data}, [0.0, 0.1, 0.25, 0.3, 0.5, 0.9, 1.0], method="{how}")))')
      for how in ("inverted_cdf", "averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf", "hazen", "weibull", "median_unbiased", "normal_unbiased")
      for data in ("[3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0]", "[2.0, 7.0, 1.0]", "[5.0]")],
    *[(f'quantile(h[0, ::2], 0.3, method="{how}")', f'jnp.array(np.quantile([1.0, 3.0], 0.3, method="{how}"), jnp.float32)') for how in ("hazen", "inverted_cdf")],
    ('nanquantile(h, 0.4, axis=1, method="weibull")', 'jnp.array(np.nanquantile([[1.0, np.nan, 3.0, 7.0], [np.nan, np.nan, 2.0, -1.0]], 0.4, axis=1, method="weibull"), jnp.float32)'),
    *[(f"{f}({a})", f"jnp.{f}({b})") for f in ("var", "std", "nanvar", "nanstd") for a, b in (("v, ddof=4", "v, ddof=4"), ("v, ddof=6", "v, ddof=6"), ("h, axis=1, ddof=2", "h, axis=1, ddof=2"))],
    ("var(x, axis=1, ddof=2, where=even)", "jnp.var(x, axis=1, ddof=2, where=even)"), ("cov(v, ddof=4)", "jnp.cov(v, ddof=4)"), ("cov(v, ddof=6)", "jnp.array(np.cov(v, ddof=6), jnp.float32)"),
    *[(f"{f}({a}, {b})", f"jnp.{f}(jnp.array({a}), jnp.array({b}))".replace("nan", "jnp.nan")) for f in ("union1d", "setxor1d", "setdiff1d", "intersect1d")
      for a, b in (("[nan, 1.0, nan]", "[2.0]"), ("[nan, 1.0]", "[nan, 2.0]"), ("[1.0, nan]", "[1.0, nan, nan]"))],
    ("unique([nan, 1.0, nan], equal_nan=false)", "jnp.unique(jnp.array([jnp.nan, 1.0, jnp.nan]), equal_nan=False)"), ("unique([[nan, 1.0], [nan, 1.0]], axis=0)", "jnp.unique(jnp.array([[jnp.nan, 1.0], [jnp.nan, 1.0]]), axis=0)"),
    ("unique([[nan, 1.0], [nan, 1.0]], axis=0, equal_nan=false)", "jnp.unique(jnp.array([[jnp.nan, 1.0], [jnp.nan, 1.0]]), axis=0, equal_nan=False)"),
    *[(f"intersect1d([3, 1, 1, 2], [2, 5, 1, 3], return_indices=true{more})[{n}]", f"jnp.intersect1d(jnp.array([3, 1, 1, 2]), jnp.array([2, 5, 1, 3]), return_indices=True{more})[{n}]") for n in range(3) for more in ("", ", size=5")],
    ("isin(i, [3, 1], invert=true)", "jnp.isin(i, jnp.array([3, 1]), invert=True)"),
    *[(f"{a}", f"jnp.{b}") for a, b in (
        ("insert(i, [0, -1], [7, 8])", "insert(i, jnp.array([0, -1]), jnp.array([7, 8]))"), ("insert(x, [1, 1], 9.0, axis=1)", "insert(x, jnp.array([1, 1]), 9.0, axis=1)"), ("insert(i, 0..2, 9)", "insert(i, jnp.arange(2), 9)"),
        ("delete(i, [0, 0, -1])", "delete(i, jnp.array([0, 0, -1]))"), ("delete(x, [0, 2], axis=0)", "delete(x, jnp.array([0, 2]), axis=0)"), ("delete(v, even)", "delete(v, even)"), ("delete(i, 1..3)", "delete(i, jnp.arange(1, 3))"))],
    ("jit(fn(a, n) = delete(a, n, assume_unique_indices=true))(i, [0, 2])", "jnp.delete(i, jnp.array([0, 2]), assume_unique_indices=True)"), ("jit(fn(a, n) = insert(a, n, 9))(i, [4, 2])", "jnp.insert(i, jnp.array([4, 2]), 9)"),
    ("vmap(fn(n) = delete(v, n, assume_unique_indices=true))([[0], [3]])", "jax.vmap(lambda n: jnp.delete(v, n, assume_unique_indices=True))(jnp.array([[0], [3]]))"),
    ("igamma([0.0, 0.0, 0.0, 2.0, 2.0], [1.0, 0.0, inf, inf, 0.0])", "jnp.array(sp.gammainc([0.0, 0.0, 0.0, 2.0, 2.0], [1.0, 0.0, np.inf, np.inf, 0.0]), jnp.float32)"),
    ("igammac([0.0, 0.0, 0.0, 2.0, 2.0], [1.0, 0.0, inf, inf, 0.0])", "jnp.array(sp.gammaincc([0.0, 0.0, 0.0, 2.0, 2.0], [1.0, 0.0, np.inf, np.inf, 0.0]), jnp.float32)"),
    ("grad(igamma, argnums=1)(0.0, 1.0)", "jax.grad(lax.igamma, argnums=1)(0.0, 1.0)"), ("grad(igammac, argnums=1)(0.0, 1.0)", "jax.grad(lax.igammac, argnums=1)(0.0, 1.0)"),
    ("linalg.svd(x, full_matrices=true)[1]", "jnp.linalg.svd(x)[1]"), ("abs(linalg.svd(x[:, :2], full_matrices=true)[0])", "jnp.abs(jnp.linalg.svd(x[:, :2])[0])"), ("abs(linalg.svd(x[:2, :3], full_matrices=true)[2])", "jnp.abs(jnp.linalg.svd(x[:2, :3])[2])"),
]
# Functions with other names in the language, or in other modules of JAX.
elsewhere = dict(linalg="jnp.linalg", logsumexp="jsp.special.logsumexp", float16="jnp.float16", uint8="jnp.uint8", int32="jnp.int32")
lax_names = ("broadcast_in_dim", "collapse", "select_n", "integer_pow", "clz", "cumlogsumexp", "reduce_sum", "reduce_max", "reduce_and")


def theirs(text):
    text = re.sub(r"\btrue\b", "True", re.sub(r"\bfalse\b", "False", text))
    text = re.sub(r"(?<![\w.])(\w+)(?=\()", lambda k: elsewhere.get(k.group(1)) or ("lax." if k.group(1) in lax_names else "jnp.") + k.group(1), text)
    text = re.sub(r"(?<![\w.])linalg\.", "jnp.linalg.", text)
    text = re.sub(r"(?<![\w.])(inf|nan)\b", r"jnp.\1", text)
    text = re.sub(r"dtype=(\w+)", r"dtype=jnp.\1", text)
    # literals of arrays
    text = re.sub(r"(?<![\w\])])(\[(?:[^\[\]]|\[[^\[\]]*\])*\])", r"jnp.array(\1)", text)
    if text.startswith(("jnp.fill_diagonal", "jnp.put_along_axis")): text = text[:-1] + ", inplace=False)"
    text = re.sub(r"jnp\.(insert|delete)\((\w+), \(([^)]*)\)", r"jnp.\1(\2, jnp.array([\3])", text)
    return re.sub(r"(jnp\.insert\([^()]*(?:\([^()]*\))?[^()]*), \(([^)]*)\)", r"\1, jnp.array([\2])", text)


def ours(text):
    for a, b in (("float16", "f16"), ("uint8", "u8"), ("int32", "i32")): text = text.replace(a, b)
    return re.sub(r"(unique_\w+\(\w+\))\[(\d)\]", lambda k: k.group(1) + "." + {"unique_counts": ["values", "counts"], "unique_inverse": ["values", "inverse_indices"], "unique_all": ["values", "indices"]}[k.group(1).split("(")[0]][int(k.group(2))], text)


listed = [t.strip() for t in same.replace("\n", " | ").split(" | ") if t.strip()]
write("vocabulary_values", setup, [(ours(t), theirs(t)) for t in listed] + pairs, names)
