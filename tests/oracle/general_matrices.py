# Writes general_matrices.pm: eigenvalues of general matrices, the factors of QR, tridiagonal systems and roots, with JAX's values and gradients.
# python3 general_matrices.py > general_matrices.pm   (jax 0.10.2, CPU)
import jax
import jax.numpy as jnp
import numpy as np
from jax._src.lax.linalg import geqrf

jax.config.update("jax_enable_x64", True)

here = """
let j = f64(1 + arange(25))
let a = sin(j * j * 1.3).reshape((5, 5))
let z = complex(a, cos(3 * a))
fn norms(v) = sum(abs(v) ** 4, axis=0)
"""
j = jnp.arange(1, 26, dtype=jnp.float64)
a = jnp.sin(j * j * 1.3).reshape(5, 5)
z = jax.lax.complex(a, jnp.cos(3 * a))
def norms(v): return jnp.sum(jnp.abs(v) ** 4, axis=0)
def tridiagonal(dl, d, du, b): return jax.lax.linalg.tridiagonal_solve(dl.at[0].set(0), d, du.at[-1].set(0), b)
def product(h, taus): return jax.lax.linalg.householder_product(h[:, :3], taus[:3])

cases = [
    ("linalg.eigvals(a)", jnp.linalg.eigvals(a)), ("linalg.eigvals(z)", jnp.linalg.eigvals(z)),
    ("norms(linalg.eig(a)[1])", norms(jnp.linalg.eig(a)[1])), ("norms(linalg.eig(z)[1])", norms(jnp.linalg.eig(z)[1])),
    ("grad(fn(a) = sum(abs(linalg.eigvals(a)) ** 3))(a)", jax.grad(lambda a: jnp.sum(jnp.abs(jnp.linalg.eigvals(a)) ** 3))(a)),
    ("linalg.geqrf(a)[0]", geqrf(a)[0]), ("linalg.geqrf(a)[1]", geqrf(a)[1]),
    ("linalg.geqrf(z)[0]", geqrf(z)[0]), ("linalg.geqrf(z)[1]", geqrf(z)[1]),
    ("linalg.householder_product(linalg.geqrf(z)[0][:, :3], linalg.geqrf(z)[1][:3])", product(*geqrf(z))),
    ("linalg.tridiagonal_solve(a[0], a[1], a[2], a)", tridiagonal(a[0], a[1], a[2], a)),
    ("grad(fn(d) = sum(linalg.tridiagonal_solve(a[0], d, a[2], a) ** 2))(a[1])", jax.grad(lambda d: jnp.sum(tridiagonal(a[0], d, a[2], a) ** 2))(a[1])),
    ("roots(a[0])", jnp.roots(a[0])), ("roots(z[1])", jnp.roots(z[1])), ("roots([0.0, 0.0, 2.0, -2.0, 0.0])", jnp.roots(jnp.array([0.0, 0.0, 2.0, -2.0, 0.0], jnp.float32))),
]


def number(x):
    return f"complex({float(x.real)!r}, {float(x.imag)!r})" if np.iscomplexobj(x) else repr(float(x))


print("# Made by general_matrices.py: eigenvalues, the parts of QR, three diagonals and roots elsewhere. pm run tests/oracle/general_matrices.pm")
print(here)
print("""fn check(name, found, due, ordered, tolerance) {
    let flat = ravel(found)
    assert(iscomplexobj(flat) == iscomplexobj(due), "{name}: {flat.dtype}")
    # LAPACK's order of eigenvalues is that of its releases
    let away = if ordered { abs(flat - due) } else { min(abs(flat[:, none] - due), axis=1) }
    assert(flat.shape == due.shape and max(away) < tolerance, "{name}: {flat}, expected {due}")
}
""")
for text, value in cases:
    value = np.asarray(value)
    dtype = "c128" if np.iscomplexobj(value) else "f64"
    tolerance = "1e-5" if value.dtype == np.complex64 else "1e-10"
    ordered = "true" if text.startswith("grad") or "eig" not in text and "roots" not in text else "false"
    print(f'check("{text}", {text}, {dtype}([{", ".join(number(x) for x in value.ravel())}]), {ordered}, {tolerance})')
print(f'print("{len(cases)} values are those expected")')
