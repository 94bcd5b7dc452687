# Writes derivatives.pm: JAX's derivatives of the operations of the vocabulary, in f64; also at kinks and ties.
# python3 derivatives.py > derivatives.pm   (jax 0.10.2, CPU)
import re

import jax
import jax.numpy as jnp
import jax.scipy as jsp
import numpy as np
from jax import lax

jax.config.update("jax_enable_x64", True)

# The forms of a test of a function f of an array. `weighed` reduces the result of f to a number; `along` is a direction.
forms_here = """
fn weights(y) = cos(f64(arange(y.size)) + 0.5).reshape(y.shape)
fn weighed(f) = fn(x) = tree_sum(tree_map(fn(y) = sum(weights(y) * y), f(x)))
fn along(x) = sin(2.0 * f64(arange(x.size)) + 1.0).reshape(x.shape)
fn value(f, x) = f(x)
fn reverse_(f, x) = grad(weighed(f))(x)
fn forward_(f, x) = jvp(f, (x,), (along(x),))[1]
fn second(f, x) = jvp(grad(weighed(f)), (x,), (along(x),))[1]
fn second_reverse(f, x) = grad(fn(t) = sum(along(t) * grad(weighed(f))(t)))(x)
fn third(f, x) = jvp(fn(t) = jvp(grad(weighed(f)), (t,), (along(t),))[1], (x,), (along(x),))[1]
fn of_rows(f, x) = vmap(grad(weighed(f)))(stack((x, 1.25 * x)))
fn of_map(f, x) = grad(fn(t) = weighed(vmap(f))(t))(stack((x, 1.25 * x)))
fn hessian_of_rows(f, x) = vmap(hessian(weighed(f)))(stack((x, 0.75 * x)))
"""


def weights(y): return jnp.cos(jnp.arange(y.size, dtype=jnp.float64) + 0.5).reshape(y.shape)
def weighed(f): return lambda x: sum(jnp.sum(weights(y) * y) for y in jax.tree.leaves(f(x)))
def along(x): return jnp.sin(2.0 * jnp.arange(x.size, dtype=jnp.float64) + 1.0).reshape(x.shape)


forms = dict(
    value=lambda f, x: f(x), reverse_=lambda f, x: jax.grad(weighed(f))(x), forward_=lambda f, x: jax.jvp(f, (x,), (along(x),))[1],
    second=lambda f, x: jax.jvp(jax.grad(weighed(f)), (x,), (along(x),))[1],
    second_reverse=lambda f, x: jax.grad(lambda t: jnp.sum(along(t) * jax.grad(weighed(f))(t)))(x),
    third=lambda f, x: jax.jvp(lambda t: jax.jvp(jax.grad(weighed(f)), (t,), (along(t),))[1], (x,), (along(x),))[1],
    of_rows=lambda f, x: jax.vmap(jax.grad(weighed(f)))(jnp.stack((x, 1.25 * x))),
    of_map=lambda f, x: jax.grad(lambda t: weighed(jax.vmap(f))(t))(jnp.stack((x, 1.25 * x))),
    hessian_of_rows=lambda f, x: jax.vmap(jax.hessian(weighed(f)))(jnp.stack((x, 0.75 * x))),
    jacfwd=lambda f, x: jax.jacfwd(f)(x), jacrev=lambda f, x: jax.jacrev(f)(x), hessian=lambda f, x: jax.hessian(f)(x),
)

names = {}
for module in (jax.ops, lax, jnp): names.update({k: getattr(module, k) for k in dir(module) if not k.startswith("_")})
names.update({k: getattr(jax, k) for k in ("grad", "vmap", "jvp", "vjp", "jit", "jacfwd", "jacrev", "hessian", "checkpoint", "value_and_grad")})
names.update(none=None, true=True, false=False, nan=jnp.nan, inf=jnp.inf, pi=jnp.pi, linalg=jnp.linalg, special=jsp.special, nn=jax.nn, jsp=jsp, lax=lax, jnp=jnp, jax=jax,
             f64=lambda v: jnp.array(v, jnp.float64), i32=lambda v: jnp.asarray(v).astype(jnp.int32), logsumexp=jsp.special.logsumexp, stop_gradient=lax.stop_gradient,
             solve_triangular=jsp.linalg.solve_triangular, cho_solve=lambda l, b: jsp.linalg.cho_solve((l, True), b), expm=jsp.linalg.expm, relu=jax.nn.relu,
             convolve=jnp.convolve, map=lax.map, len=len, at_set=lambda x, i, v: x.at[i].set(v), at_add=lambda x, i, v: x.at[i].add(v),
             at_min=lambda x, i, v: x.at[i].min(v), at_max=lambda x, i, v: x.at[i].max(v), at_mul=lambda x, i, v: x.at[i].multiply(v, unique_indices=True),
             # JAX has no derivative for it
             segment_prod=lambda x, ids, n: jnp.stack([jnp.prod(jnp.where(ids == k, x, 1.0)) for k in range(n)]), clip=jnp.clip, sigmoid=jax.nn.sigmoid)
helpers_here = """
fn at_set(x, i, v) = x with [i] = v
fn at_add(x, i, v) = x with [i] += v
fn at_min(x, i, v) = x with [i] min= v
fn at_max(x, i, v) = x with [i] max= v
fn at_mul(x, i, v) = x with [i] *= v
let solve_triangular = linalg.solve_triangular
let cho_solve = linalg.cho_solve
let expm = linalg.expm
let relu = nn.relu
"""

# name: its text in the language. In Python the text is evaluated after `python` has changed it.
arrays = dict(
    p="f64([0.3, 1.7, 0.9, 2.4])", u="f64([0.31, -0.62, 0.85, -0.13])", s="f64([-1.5, 0.4, 2.2, -0.7])", t="f64([0.8, -1.1, 1.9, 0.35])",
    m="f64([[0.9, -0.4, 1.3], [0.2, 1.1, -0.8], [-0.5, 0.7, 1.6]])", q="f64([[4.0, 1.0, 0.5], [1.0, 3.0, -0.7], [0.5, -0.7, 5.0]])",
    tall="f64([[0.9, -0.4], [0.2, 1.1], [-0.5, 0.7]])", b3="f64([1.2, -0.6, 0.9])", wide="f64([[0.9, 0.2, -0.5], [-0.4, 1.1, 0.7]])",
    two="f64([[[2.0, 0.3], [0.1, 1.5]], [[1.0, -0.6], [0.4, 2.5]]])",
    line="f64([0.5, -0.2, 1.3, 0.8, -1.1, 0.6])", ties="f64([1.0, 3.0, 3.0, 2.0, 3.0])", zero="f64([0.0, 1.0, -2.0, 0.0])",
)


def python(text):
    while True:
        new = re.sub(r"fn\(([^()]*|\([^()]*\)[^()]*)\) = ", lambda k: f"lambda {k.group(1)}: ", text)
        if new == text: return text
        text = new


cases = []


def add(kinds, function, x, python_text=None):
    """Adds one case for each of these forms of a function of one array."""
    cases.extend((k, function, x, python_text) for k in kinds.split())


every = "reverse_ forward_ second third"
for f, x in [("exp", "s"), ("log", "p"), ("sqrt", "p"), ("rsqrt", "p"), ("cbrt", "p"), ("sin", "s"), ("cos", "s"), ("tan", "u"), ("arcsin", "u"), ("arccos", "u"), ("arctan", "s"), ("sinh", "s"),
             ("cosh", "s"), ("tanh", "s"), ("arcsinh", "s"), ("arctanh", "u"), ("log1p", "p"), ("expm1", "s"), ("logistic", "s"), ("special.erf", "s"), ("special.erfc", "s"), ("special.erfinv", "u"),
             ("lgamma", "p"), ("reciprocal", "p"), ("square", "s")]:
    here = {"special.erf": "erf", "special.erfc": "erfc", "special.erfinv": "erf_inv"}.get(f, f)
    add(every, f"fn(x) = {here}(x)", x, f"lambda x: {f}(x)")
add("reverse_ forward_", "fn(x) = arccosh(1 + x)", "p")
add("reverse_ forward_ second", "fn(x) = digamma(x)", "p")
for f in ("x ** 3", "x ** 2.5", "x ** -2", "2.0 ** x", "x ** x", "arctan2(x, f64(0.7))", "hypot(x, 1.3)", "logaddexp(x, f64(0.2))", "maximum(x, f64(1.0))", "clip(x, 0.5, 2.0)", "x / (1 + x * x)", "x % 0.7", "power(x, 0.5)",
          "nan_to_num(x)", "sinc(x)", "exp2(x)", "log2(x)", "log10(x)", "abs(x - 1.0)", "sign(x) * x", "where(x > 1.0, x * x, log(x))"):
    add("reverse_ second", f"fn(x) = {f}", "p")
# kinks and ties
for f in ("abs(x)", "relu(x)", "maximum(x, 0.0)", "minimum(x, 0.0)", "sign(x)", "floor(x)", "round(x)", "clip(x, 0.0, 1.0)", "clip(x, -2.0, 0.5)", "x ** 0", "x ** 1", "x ** 2", "x ** 2.0", "nn.leaky_relu(x)", "nn.relu6(x)", "nn.elu(x)", "nn.hard_tanh(x)",
          "nn.softplus(x)", "nn.silu(x)", "nn.gelu(x)", "nn.selu(x)", "nn.celu(x)", "nn.log_sigmoid(x)", "nn.hard_sigmoid(x)", "nn.squareplus(x)", "sqrt(x * x)", "arctan2(x, x)", "arctan2(x, f64(0.0))", "logaddexp(x, x)", "copysign(x, f64(1.0))", "fmod(x, 0.5)", "x % 1.0", "sinc(x)", "nn.softmax(x)", "nn.log_softmax(x)",
          "cbrt(x)", "heaviside(x, 0.5)", "special.xlogy(x, x + 2.0)", "special.i0e(x)", "special.i1(x)"):
    add("reverse_ forward_", f"fn(x) = {f}", "zero", {"nn.hard_tanh(x)": "lambda x: nn.hard_tanh(x)"}.get(f))
add("reverse_", "fn(x) = sqrt(abs(x))", "zero")
add("reverse_", "fn(x) = linalg.norm(x)", "f64([0.0, 0.0])")
add("reverse_ forward_", "fn(x) = maximum(x, flip(x))", "ties")
add("reverse_ forward_", "fn(x) = minimum(x, x)", "ties")
for f in ("max(x)", "min(x)", "sort(x)", "sort(x)[::-1]", "cummax(x)", "cummin(x)", "prod(x)", "cumprod(x)", "top_k(x, 3)[0]", "median(x)", "quantile(x, 0.3)", "argmax(x) * x", "ptp(x)", "x[argsort(x)]", "std(x)", "var(x)", "logsumexp(x)",
          "unique(x, size=5)", "segment_max(x, array([0, 0, 1, 1, 1]), 2)", "segment_min(x, array([0, 1, 1, 0, 1]), 2)", "segment_prod(x, array([0, 1, 1, 0, 1]), 2)", "interp(x, f64([0.0, 2.0, 3.0, 4.0]), f64([0.0, 1.0, 5.0, 2.0]))"):
    add("reverse_ forward_", f"fn(x) = {f}", "ties")
add("reverse_ second", "fn(x) = prod(x)", "zero")
add("reverse_ second", "fn(x) = cumprod(x)", "zero")
add("reverse_", "fn(x) = prod(x)", "f64([0.0, 2.0, 3.0])")
# reductions, prefix scans, shapes, contractions
for f, x in [("sum(x * x, axis=0)", "m"), ("mean(x ** 3, axis=1, keepdims=true)", "m"), ("prod(x, axis=0)", "m"), ("max(x, axis=1)", "m"), ("min(x * x, axis=0)", "m"), ("var(x, axis=1, ddof=1)", "m"), ("std(x, axis=0)", "m"), ("logsumexp(x, axis=1)", "m"),
             ("cumsum(x ** 2, axis=1)", "m"), ("cumprod(x, axis=0)", "m"), ("cummax(x, axis=1)", "m"), ("cumlogsumexp(x, axis=1)", "m"), ("sort(x ** 2, axis=0)", "m"), ("median(x ** 3, axis=1)", "m"), ("x.T @ x @ x", "m"),
             ('einsum("ij,jk,ki->i", x, x, x)', "m"), ('einsum("ij,ij->", x, x) * x', "m"), ("tensordot(x, x * x, 1)", "m"), ("outer(x[0], x[1]) ** 2", "m"), ("linalg.norm(x, axis=1)", "m"), ("convolve(x[0], x[1] ** 2)", "m"),
             ("roll(x, 1, axis=0) * x", "m"), ("pad(x, 1, mode='reflect') ** 2", "m"), ("tile(x, (2, 1)) ** 2", "m"), ("repeat(x, 2, axis=0) ** 2", "m"), ("flip(x, axis=1) * x", "m"), ("tril(x) @ triu(x)", "m"), ("diag(diag(x)) @ x", "m"), ("trace(x @ x) * x", "m"),
             ("concatenate((x, x ** 2), axis=1)", "m"), ("stack((x, x ** 2))", "m"), ("moveaxis(x[None] ** 2, 0, 2)", "m"), ("diff(x ** 2, axis=1)", "m"), ("cross(x[0], x[1] ** 2)", "m"), ("kron(x[:2, :2], x[1:, 1:])", "m"), ("nn.softmax(x, axis=0)", "m"), ("trapezoid(x ** 2, dx=0.5)", "m")]:
    add("reverse_ second of_rows", f"fn(x) = {f}".replace("'", '"').replace("None", "none"), x)
# reads and writes by index
for f in ("x[array([2, 0, 2])] ** 2", "take(x, array([1, 1, 3])) ** 3", "take_along_axis(x, argsort(x), axis=0) ** 2", "at_set(x, array([1, 4]), 2.0) ** 2", "at_add(x, array([1, 1]), x[0] ** 2) ** 2", "at_mul(x, array([2, 3]), x[:2]) ** 2", "at_max(x, array([0, 0]), x[1:3]) ** 2", "at_min(x, array([5, 5]), x[1:3]) ** 2",
          "dynamic_slice(x, (2,), (3,)) ** 2", "dynamic_update_slice(x, x[:2] ** 2, (3,)) ** 2", "where(x > 0.0, exp(x), x ** 2)", "segment_sum(x ** 2, array([0, 1, 0, 2, 1, 0]), 3) ** 2", "segment_prod(x, array([0, 1, 0, 2, 1, 0]), 3)", "segment_max(x ** 2, array([0, 1, 0, 2, 1, 0]), 3)",
          "x[::2] * x[1::2] ** 2", "interp(x, f64([-2.0, 0.1, 2.0]), f64([0.0, 1.0, 5.0])) ** 2", "top_k(x ** 2, 3)[0] ** 2", "polyval(x, f64(0.7)) * x", "roll(x, 2) ** 3 * x"):
    add("reverse_ second of_map", f"fn(x) = {f}", "line")
# control
for f, g in [("scan(fn(c, a) = (c * a + 1.0, c ** 2), x[0], x)", "lax.scan(lambda c, a: (c * a + 1.0, c ** 2), x[0], x)"), ("associative_scan(fn(a, b) = a * b + 0.0, x)", None), ("fori_loop(0, 4, fn(i, c) = sin(c) * x, x)", "lax.fori_loop(0, 4, lambda i, c: jnp.sin(c) * x, x)"),
             ("cond(sum(x) > 0, fn(a) = a ** 2, fn(a) = a ** 3, x)", None), ("switch(1, (fn(a) = a ** 2, fn(a) = a ** 3), x)", "lax.switch(1, (lambda a: a ** 2, lambda a: a ** 3), x)"), ("map(fn(a) = a ** 3 + x[0], x)", None), ("checkpoint(fn(a) = sin(a) ** 2)(x)", None), ("vmap(fn(a) = a * x)(x)", None),
             ("grad(fn(a) = sum(a ** 4))(x) * x", None), ("stop_gradient(x) * x ** 2", None), ("jacfwd(fn(a) = a ** 3)(x)", None)]:
    add("reverse_ second of_rows", f"fn(x) = {f}", "s", f"lambda x: {g}" if g else None)
# linear algebra
lin = "reverse_ forward_ second third"
for f, x in [("linalg.inv(x)", "q"), ("linalg.det(x)", "m"), ("linalg.slogdet(x)[1]", "m"), ("linalg.solve(x, b3)", "m"), ("linalg.solve(q, x)", "m"), ("linalg.cholesky(x @ x.T + 2 * eye(3))", "m"), ("cho_solve(linalg.cholesky(q), x)", "b3"),
             ("linalg.eigh(x)[0]", "q"), ("linalg.eigh(x + x.T)[0] ** 2", "q"), ("linalg.pinv(x)", "tall"), ("linalg.pinv(x)", "wide"), ("linalg.lstsq(x, b3)[0]", "tall"), ("expm(x)", "m"), ("linalg.norm(x)", "m"), ("linalg.matrix_power(x, 3)", "m"), ("linalg.matrix_power(x, -2)", "q"),
             ("solve_triangular(tril(x), b3, lower=true)", "q"), ("linalg.multi_dot((x, x.T, x))", "tall")]:
    add(lin, f"fn(x) = {f}", x)
for f, x in [("linalg.qr(x)[0]", "m"), ("linalg.qr(x)[1]", "m"), ("linalg.qr(x)[1]", "tall"), ("abs(linalg.eigh(x)[1])", "q"), ("linalg.svd(x)[1]", "m"), ("linalg.svd(x)[1]", "tall"), ("abs(linalg.svd(x)[0])", "m"), ("linalg.norm(x, ord=2)", "tall"), ('linalg.norm(x, ord="nuc")', "m"), ("linalg.inv(x)", "two"), ("linalg.det(x)", "two"),
             ("linalg.eigh(x @ x.mT)[0]", "two"), ("linalg.cholesky(x @ x.mT)", "two")]:
    add("reverse_ forward_ second", f"fn(x) = {f}", x, f"lambda x: {python(f)}".replace("linalg.svd(x)", "linalg.svd(x, full_matrices=False)"))
add("reverse_ forward_", "fn(x) = linalg.pinv(x)", "f64([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])")  # equal singular values
add("reverse_ forward_", "fn(x) = linalg.pinv(x)", "f64([[1.0, 2.0], [2.0, 4.0], [0.0, 0.0]])")  # of rank 1
add("reverse_", "fn(x) = linalg.eigh(x)[1]", "f64([[2.0, 0.0], [0.0, 2.0]])")
add("reverse_", "fn(x) = linalg.cholesky(x)", "f64([[1.0, 0.0], [0.0, -1.0]])")
# special functions
for f, x in [("special.gammainc(2.5, x)", "p"), ("special.gammainc(20.0, 10 * x)", "p"), ("special.gammaincc(1.5, x)", "p"), ("special.betainc(2.0, 3.5, abs(x))", "u"), ("special.zeta(2.0 + x, 1.5)", "p"), ("special.polygamma(1, x)", "p"), ("special.ndtri(abs(x))", "u"),
             ("special.log_ndtr(x)", "s"), ("special.i0(x)", "s"), ("special.i1e(x)", "s"), ("special.entr(x)", "p"), ("special.logit(abs(x))", "u"), ("special.multigammaln(3 + x, 2)", "p"), ("special.betaln(x, x + 1.0)", "p"), ("special.xlog1py(x, x)", "p"), ("special.rel_entr(x, x + 1.0)", "p"), ("special.boxcox(x, 0.5)", "p")]:
    add("reverse_ second", f"fn(x) = {f}", x)
# whole matrices of derivatives
for f, x in [("x ** 2 * x[0]", "s"), ("linalg.solve(q, x) ** 2", "b3"), ("nn.softmax(x)", "s"), ("cumprod(x)", "s"), ("sort(x) ** 2", "s"), ("outer(x, x)", "b3"), ("scan(fn(c, a) = (c * a, c + a), x[1], x)", "b3")]:
    add("jacfwd jacrev", f"fn(x) = {f}", x, f"lambda x: {python(f)}")
for f, x in [("sum(x ** 3) * x[0]", "s"), ("logsumexp(x)", "s"), ("linalg.slogdet(x)[1]", "m"), ("prod(x)", "zero"), ("linalg.norm(x)", "s"), ("max(x) * sum(x)", "ties"), ("mean(nn.silu(x) ** 2)", "s"), ("linalg.det(x)", "m")]:
    add("hessian", f"fn(x) = {f}", x)
for f, x in [("sum(sin(x) * x[0])", "s"), ("prod(x)", "s"), ("logsumexp(x * x)", "s"), ("linalg.norm(x)", "s"), ("sum(sort(x) ** 3)", "s"), ("x @ q @ x", "b3")]:
    add("hessian_of_rows", f"fn(x) = {f}", x)
# several arguments, separate results, and nested transformations: (in the language, in JAX)
whole = [
    ("grad(fn(x, y) = sum(x * y ** 2), argnums=(0, 1))(s, t)", None), ("value_and_grad(fn(x) = sum(x ** 3))(s)", None), ("grad(grad(grad(fn(x) = x ** 5)))(f64(1.3))", None), ("grad(grad(grad(fn(x) = sin(x) * exp(x))))(f64(0.3))", None),
    ("jvp(fn(x, y) = x / y, (s, t), (t, s))", None), ("vjp(fn(x, y) = x / y, s, t)[1](s)", None), ("vmap(vmap(grad(fn(x) = x ** 3)))(m)", None), ("vmap(grad(fn(x, y) = x * y ** 2, argnums=1), in_axes=(0, none))(s, f64(1.5))", None),
    ("jacfwd(jacrev(fn(x) = sum(x ** 4)))(s)", None), ("jacrev(jacfwd(fn(x) = x ** 3))(s[:2])", None), ("vmap(jacfwd(fn(x) = x ** 2 * x[0]))(m)", None), ("jit(grad(fn(x) = sum(tanh(x) ** 2)))(s)", None), ("grad(fn(x) = sum(jit(fn(a) = a ** 3)(x)))(s)", None),
    ("grad(fn(x) = sum(vmap(fn(a) = grad(fn(b) = b ** 4)(a))(x)))(s)", None), ("hessian(fn(x, y) = sum(x ** 2 * y), argnums=(0, 1))(s[:2], t[:2])", None), ("grad(fn(x) = f64(0.0) ** x)(f64(2.0))", None), 
    ("grad(power, argnums=(0, 1))(f64(0.0), f64(2.0))", None), ("grad(power, argnums=(0, 1))(f64(0.0), f64(0.5))", None), ("grad(arctan2, argnums=(0, 1))(f64(0.0), f64(-1.0))", None), ("grad(hypot, argnums=(0, 1))(f64(3.0), f64(-4.0))", None), ("grad(fn(a, x) = special.gammainc(a, x), argnums=(0, 1))(f64(2.5), f64(1.7))", None),
    ("grad(fn(a, x) = special.gammainc(a, x), argnums=(0, 1))(f64(40.0), f64(37.0))", None), ("grad(clip, argnums=(0, 1, 2))(f64(0.5), f64(0.5), f64(2.0))", None), ("grad(clip, argnums=(0, 1, 2))(f64(3.0), f64(0.5), f64(2.0))", None), ("grad(maximum, argnums=(0, 1))(f64(1.0), f64(1.0))", None), ("grad(minimum, argnums=(0, 1))(f64(1.0), f64(1.0))", None),
    ("grad(fn(x) = sum(where(x > 0.0, x, 0.0)))(zero)", None), ("grad(sqrt)(f64(0.0))", None), ("grad(abs)(f64(0.0))", None), ("grad(relu)(f64(0.0))", None), ("grad(cbrt)(f64(0.0))", None), ("grad(log)(f64(0.0))", None), ("grad(grad(relu))(f64(0.0))", None), ("grad(grad(abs))(f64(0.0))", None),
    ("grad(fn(x) = max(stack((x, x, 2.0 * x))))(f64(0.0))", None), ("grad(fn(x) = sum(x ** 2, where=x > 0.0))(s)", None), ("grad(fn(x) = mean(x, where=x > 0.0))(s)", None),
]

# Not in the list, because they differ: the derivative of x ** 0.0 at 0 is 0 here, NaN in JAX; of logaddexp at two -inf 1 and 1, NaN in JAX; eigenvectors of equal eigenvalues
# are NaN here where JAX has infinities among them; second derivatives of pinv where the rank may change are symmetric here.


def literal(value):
    value = np.asarray(value)
    def one(n): return "nan" if np.isnan(n) else ("inf" if n > 0 else "-inf") if np.isinf(n) else repr(float(n))
    return "f64([" + ", ".join(one(n) for n in value.ravel()) + "])", "(" + "".join(f"{n}, " for n in value.shape) + ")"


print("# Made by derivatives.py: what JAX gives for the same. pm run tests/oracle/derivatives.pm")
print("""
fn check(name, found, expected) {
    let leaves = tree_leaves(found)
    assert(len(leaves) == len(expected), "{name}: {len(leaves)} leaves, expected {len(expected)}")
    for i in tuple(0..len(expected)) {
        let (values, shape) = expected[i]
        let y = array(leaves[i])
        assert(y.shape == shape, "{name}: shape {y.shape}, expected {shape}")
        let flat = f64(y.reshape(-1))
        assert(allclose(flat, values, rtol=2e-8, atol=2e-9, equal_nan=true), "{name}: {flat}, expected {values}")
    }
}""")
print(forms_here + helpers_here)
for name, text in arrays.items():
    names[name] = eval(python(text), names)
    print(f"let {name} = {text}")
print()
count = 0


def check(text, value):
    global count
    count += 1
    label = text.replace("{", "(").replace("}", ")").replace('"', "'")
    expected = "".join(f"({a}, {b}), " for a, b in map(literal, jax.tree.leaves(value)))
    print(f'check("{label}", {text}, ({expected}))')


for kind, function, x, theirs in cases:
    f = eval(theirs or python(function), names)
    text = f"{kind}({function}, {x})" if kind not in ("jacfwd", "jacrev", "hessian") else f"{kind}({function})({x})"
    try: check(text, forms[kind](f, eval(python(x), names)))
    except Exception as e: raise RuntimeError(text) from e
for ours, theirs in whole: check(ours, eval(theirs or python(ours), names))
print(f'print("{count} derivatives have the values expected")')
