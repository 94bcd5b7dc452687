# Writes complex_linalg.pm: linear algebra of complex matrices with JAX's values, first and second derivatives, and maps. Small matrices, for which
# the language uses loops, and larger ones, for which it uses LAPACK. Vectors with an arbitrary phase are compared by functions that ignore the phase.
# python3 complex_linalg.py > complex_linalg.pm   (jax 0.10.2, CPU)
import re
from types import SimpleNamespace

import jax
import jax.numpy as jnp
import jax.scipy as jsp
import numpy as np

jax.config.update("jax_enable_x64", True)

# `weighed` reduces the result of f to a number; `along` is a direction. slopes: the number's first and second derivative along it, and the second by reverse mode.
forms_here = """
fn H(x) = conj(x.mT)
fn sample(m, n) {
    let j = f64(1 + arange(m * n))
    complex(sin(j * j * 1.3), sin(j * j * 2.1)).reshape((m, n))
}
fn positive(a) = a @ H(a) + eye(len(a))
fn weights(y) = complex(cos(f64(arange(y.size)) + 0.5), sin(f64(arange(y.size)) * 2)).reshape(y.shape)
fn weighed(f) = fn(x) = tree_sum(tree_map(fn(y) = real(sum(weights(y) * y)), f(x)))
fn along(x) = complex(sin(2.0 * f64(arange(x.size)) + 1.0), cos(3.0 * f64(arange(x.size)))).reshape(x.shape)
fn value(f, x) = concatenate(tree_leaves(tree_map(fn(y) = c128(ravel(y)), f(x))))
fn slopes(f, x) {
    let first = fn(t) = jvp(weighed(f), (t,), (along(t),))[1]
    stack((first(x), jvp(first, (x,), (along(x),))[1], real(sum(grad(first)(x) * along(x)))))
}
fn of_map(f, x) = grad(fn(t) = weighed(vmap(f))(t))(stack((x, 1.25 * x)))
"""


def H(x): return jnp.conj(x.mT)
def sample(m, n):
    j = jnp.arange(1, m * n + 1, dtype=jnp.float64)
    return jax.lax.complex(jnp.sin(j * j * 1.3), jnp.sin(j * j * 2.1)).reshape(m, n)
def positive(a): return a @ H(a) + jnp.eye(len(a))
def weights(y): return jax.lax.complex(jnp.cos(jnp.arange(y.size) + 0.5), jnp.sin(jnp.arange(y.size) * 2.0)).reshape(y.shape)
def weighed(f): return lambda x: sum(jnp.real(jnp.sum(weights(y) * y)) for y in jax.tree.leaves(f(x)))
def along(x): return jax.lax.complex(jnp.sin(2.0 * jnp.arange(x.size) + 1.0), jnp.cos(3.0 * jnp.arange(x.size))).reshape(x.shape)
def value(f, x): return jnp.concatenate([jnp.ravel(y).astype(jnp.complex128) for y in jax.tree.leaves(f(x))])
def slopes(f, x):
    first = lambda t: jax.jvp(weighed(f), (t,), (along(t),))[1]
    return jnp.stack((first(x), jax.jvp(first, (x,), (along(x),))[1], jnp.real(jnp.sum(jax.grad(first)(x) * along(x)))))


forms = dict(
    value=value, slopes=slopes,
    of_map=lambda f, x: jax.grad(lambda t: weighed(jax.vmap(f))(t))(jnp.stack((x, 1.25 * x))),
)

linalg = SimpleNamespace(**{k: getattr(jnp.linalg, k) for k in dir(jnp.linalg) if not k.startswith("_")})
linalg.__dict__.update({k: getattr(jsp.linalg, k) for k in ("lu", "lu_factor", "lu_solve", "cho_factor", "cho_solve", "solve_triangular", "expm")})
linalg.svd = lambda a, full_matrices=False: jnp.linalg.svd(a, full_matrices=full_matrices)
names = dict(jnp=jnp, linalg=linalg, H=H, positive=positive, true=True, false=False, none=None, inf=jnp.inf, eye=jnp.eye, sin=jnp.sin, cos=jnp.cos, tril=jnp.tril, ones=jnp.ones,
             abs=jnp.abs, real=jnp.real, conj=jnp.conj, sum=jnp.sum, diagonal=jnp.diagonal)

# Functions of a square matrix (`simple`: only small ones), of a tall one, of a wide one. Last those without a derivative, or for which JAX has none, or has that of the symmetrised matrix,
# not of the triangle that is read (eigh of one triangle).
square = """linalg.solve(a, H(a)[:, :2]); linalg.solve(a, a[0]); linalg.solve(real(a), a[:, 1]); linalg.solve(a, real(a)); linalg.inv(a); linalg.det(a / 2); linalg.slogdet(a)
linalg.lu(a)[1:]; linalg.lu_factor(a)[0]; linalg.lu_solve(linalg.lu_factor(a), a[1]); linalg.lu_solve(linalg.lu_factor(a), a[:, :2], trans=1)
linalg.lu_solve(linalg.lu_factor(a), a[0], trans=2)
linalg.cholesky(positive(a)); linalg.cholesky(a + 9 * eye(len(a))); linalg.cholesky(positive(a), upper=true)
linalg.cho_solve(linalg.cho_factor(positive(a)), a[:, :2]); linalg.cho_solve(linalg.cho_factor(positive(a), lower=true), a[0])
linalg.solve_triangular(a + 4 * eye(len(a)), a[0], lower=true); linalg.solve_triangular(a + 4 * eye(len(a)), a, trans=1)
linalg.solve_triangular(a + 4 * eye(len(a)), a, trans=2); linalg.solve_triangular(a + 4 * eye(len(a)), a[:, :1], lower=true, trans="C")
linalg.solve_triangular(a / 8, a[:, :2], lower=true, unit_diagonal=true); linalg.solve_triangular(a / 8, a, trans="C", unit_diagonal=true)
linalg.qr(a); linalg.qr(a, mode="r")
linalg.eigvalsh(a); linalg.eigh(a + H(a))[0]; first_space(linalg.eigh(a + H(a))[1]);
of_values(linalg.eigh(a)); linalg.svdvals(a); of_factors(linalg.svd(a)); first_space(linalg.svd(a)[0]); first_space(H(linalg.svd(a)[2])); linalg.pinv(a)
linalg.matrix_power(a, -2); linalg.expm(a / 2); linalg.norm(a, ord="nuc")"""
simple = """linalg.matrix_power(a, 3); linalg.norm(a); linalg.norm(a, ord=1); linalg.norm(a, ord=-1); linalg.norm(a, ord=2); linalg.norm(a, ord=-2); linalg.norm(a, ord=inf); linalg.norm(a, ord=-inf)
linalg.matrix_norm(a); linalg.vector_norm(a[0], ord=3); linalg.vector_norm(a[0], ord=1); linalg.cond(a); linalg.cond(a, p=1)
linalg.multi_dot((a, H(a), a)); linalg.trace(a); linalg.diagonal(a, offset=1)"""
tall = """linalg.qr(a); linalg.svdvals(a); of_factors(linalg.svd(a)); first_space(linalg.svd(a)[0]); linalg.pinv(a)
linalg.lstsq(a, cos(a[:, 0]))[0]; linalg.lstsq(a, sin(a))[1]; linalg.lu(a)[1:]; linalg.norm(a, ord="nuc"); linalg.cond(a)"""
wide = """linalg.svdvals(a); of_factors(linalg.svd(a)); first_space(H(linalg.svd(a)[2])); linalg.pinv(a); linalg.lstsq(a, a[:, 0] * a[:, 1])[0]; linalg.lu(a)[1:]"""
values = [("square", "linalg.matrix_rank(a)"), ("square", "linalg.lu(a)[0]"), ("square", 'linalg.cholesky(positive(a) + tril(a, -1), symmetrize_input=false)'), ("wide", "linalg.qr(a)"), ("square", 'linalg.eigh(a, UPLO="U", symmetrize_input=false)[0]'), ("square", "linalg.eigvalsh(a, symmetrize_input=false)"),
          ("wide", "abs(linalg.svd(a, full_matrices=true)[2])[:2]"), ("tall", 'abs(linalg.qr(a, mode="complete")[1])'), ("tall", 'first_space(linalg.qr(a, mode="complete")[0][:, len(a) - 1:])'), ("tall", "linalg.lstsq(a, a[:, 0])[2:]"),
          ("square", "linalg.cholesky(a - 9 * eye(len(a)))"), ("square", "linalg.slogdet(0 * a)"), ("square", "linalg.det(0 * a)"), ("square", "linalg.pinv(a[:, :1] * a[0])"),
          ("square", "linalg.matrix_rank(a[:, :1] * a[0])"), ("square", "linalg.tensorinv(a.reshape((1, len(a), len(a))), ind=2)")]
shapes = {"square": {"small": (3, 3), "large": (26, 26)}, "tall": {"small": (4, 3), "large": (30, 26)}, "wide": {"small": (3, 4), "large": (26, 30)}}
here = """fn first_space(v) = v[:, :1] @ H(v[:, :1])
fn of_values(p) = (p[1] * sin(p[0])) @ H(p[1])
fn of_factors(p) = (p[0] * sin(p[1])) @ p[2]
"""
names.update(first_space=lambda v: v[:, :1] @ H(v[:, :1]), of_values=lambda p: (p[1] * jnp.sin(p[0])) @ H(p[1]), of_factors=lambda p: (p[0] * jnp.sin(p[1])) @ p[2])


def entries(text): return filter(None, map(str.strip, re.split(r"[;\n]", text)))
def python(e): return eval("lambda a: " + e, names)


def number(z):
    def part(x):
        if np.isnan(x): return "nan"
        if np.isinf(x): return "inf" if x > 0 else "-inf"
        return repr(float(x))
    return part(z) if np.isrealobj(z) else f"complex({part(z.real)}, {part(z.imag)})"


def shown(v):
    v = np.asarray(v)
    return f"{'c128' if np.iscomplexobj(v) else 'f64'}([" + ", ".join(number(z) for z in v.ravel()) + "])"


print("# Made by complex_linalg.py: linear algebra of complex matrices elsewhere. pm run tests/oracle/complex_linalg.pm")
print(forms_here.rstrip())
print(here.rstrip())
print("""fn check(name, found, due) {
    let flat = found.reshape(-1)
    assert(flat.dtype == due.dtype, "{name}: {flat.dtype}, expected {due.dtype}")
    assert(allclose(flat, due, rtol=1e-8, atol=1e-9 * (1 + max(where(isfinite(due), abs(due), 0))), equal_nan=true), "{name}: {flat}, expected {due}")
}
""")
arrays = {}
for shape, sizes in shapes.items():
    for size, (m, n) in sizes.items():
        arrays[f"{shape}_{size}"] = sample(m, n)
        print(f"let {shape}_{size} = sample({m}, {n})")
print()
count = 0


def compare(form, e, at):
    global count
    found = forms[form](python(e), arrays[at])
    label = f"{form}, {at}, {e}".replace('"', "'")
    print(f'check("{label}", {form}(fn(a) = {e}, {at}), {shown(found)})')
    count += 1


for shape, text in (("square", square), ("tall", tall), ("wide", wide)):
    for e in entries(text):
        for form in ("value", "slopes", "of_map"): compare(form, e, f"{shape}_small")
        compare("slopes", e, f"{shape}_large")
for e in entries(simple):
    for form in ("value", "slopes", "of_map"): compare(form, e, "square_small")
for shape, e in values: compare("value", e, f"{shape}_small")
print(f'print("{count} values and derivatives are those expected")')
