# Writes solver_values.pm: solutions of stiff equations, minima, roots, sparse systems, resized images and diagnostics of chains by SciPy, NumPy and JAX.
# python3 solver_values.py > solver_values.pm   (jax 0.10.2, numpy 2.4.6, scipy 1.17.1, CPU)
import jax

jax.config.update("jax_enable_x64", True)
import jax.numpy as jnp
import numpy as np
import scipy.optimize as so
import scipy.sparse as ss
import scipy.sparse.linalg as sl
from scipy.integrate import solve_ivp
from scipy.linalg import expm

from expressions import text

functions = """
fn check(name, found, values, shape, dtype, rtol) {
    assert(found.shape == shape, "{name}: shape {found.shape}, expected {shape}")
    assert(found.dtype == dtype, "{name}: dtype {found.dtype}, expected {dtype}")
    assert(allclose(found.reshape(-1), values, rtol=rtol, atol=0), "{name}: {found.reshape(-1)}, expected {values}")
}

fn reactions({a, b, c}, t, p) {
    let (x, y, z) = (p[0] * a, p[1] * b * c, p[2] * b * b)
    {a: y - x, b: x - y - z, c: z}
}
fn robertson(p, b0, dtype, rtol) {
    let start = {a: array(1, dtype=dtype), b: b0.astype(dtype), c: array(0, dtype=dtype)}
    let y = ode.stiff(reactions, start, array([0.0, 0.4, 40.0, 4e3, 4e5], dtype=dtype), args=(p.astype(dtype),), rtol=rtol, atol=rtol * 1e-5)
    stack((y.a, y.b, y.c), axis=1)[1:]
}
fn oscillator(mu, dtype, rtol) {
    let f = fn(y, t) = stack((y[1], mu * (1 - y[0] ** 2) * y[1] - y[0]))
    ode.stiff(f, array([2, 0], dtype=dtype), array([0.0, 500.0, 1000.0, 2000.0], dtype=dtype), rtol=rtol, atol=rtol * 1e-2)[1:, 0]
}
fn valley({x}) = sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)
fn crossing(p) = optim.root(fn({u, v}) = (u ** 2 + v - p[0], u - v ** 3 + p[1]), {u: f64(1), v: f64(1)}, tol=1e-14).x
fn solved(solve, a) = solve(a, b, tol=1e-13).x
fn slopes(solve) {
    let loss = fn(d, b) = sum(solve(sparse.from_dense(d, nnz=30), b, tol=1e-13, preconditioner=diag(1 / diagonal(d))).x ** 2)
    let (by_d, by_b) = grad(loss, argnums=(0, 1))(d, b)
    concatenate((by_d, by_b[none]))
}
fn funnel({v, x}) = stats.norm_logpdf(v, 0.0, 1.5) + sum(stats.norm_logpdf(x, 0.0, exp(v / 2)))
"""


def reactions(y, p): return jnp.stack([p[1] * y[1] * y[2] - p[0] * y[0], p[0] * y[0] - p[1] * y[1] * y[2] - p[2] * y[1] ** 2, p[2] * y[1] ** 2])


rates = np.array([0.04, 1e4, 3e7])
slope, jac_y, jac_p = (jax.jit(f) for f in (reactions, jax.jacfwd(reactions), jax.jacfwd(reactions, 1)))


def along(s):
    """The slopes of y, of dy / dp and of dy / db0."""
    y, d = s[:3], s[3:].reshape(3, 4)
    return jnp.concatenate([slope(y, rates), (jac_y(y, rates) @ d + jnp.pad(jac_p(y, rates), ((0, 0), (0, 1)))).ravel()])


def radau(f, start, times, rtol, atol, jac=None): return solve_ivp(lambda t, y: np.asarray(f(y)), (0, times[-1]), start, "Radau", times, rtol=rtol, atol=atol, jac=jac and (lambda t, y: np.asarray(jac(y)))).y.T


fast_along = jax.jit(along)
both = radau(fast_along, [1, 0, 0] + [0] * 7 + [1] + [0] * 4, [0.4, 40, 4e3, 4e5], 1e-10, 1e-15 * np.r_[np.ones(3), np.tile([1e1, 1e-4, 1e-7, 1.0], 3)], jax.jit(jax.jacfwd(along)))
wide = lambda v: jnp.asarray(v, jnp.float64)
narrow = lambda v: jnp.asarray(v, jnp.float32)
van = radau(lambda y: [y[1], 1000 * (1 - y[0] ** 2) * y[1] - y[0]], [2, 0], [500, 1000, 2000], 1e-11, 1e-13)[:, 0]
stiff = np.array([[-1.0, 2.0, 0.0], [0.0, -1e3, 5.0], [1.0, 0.0, -1e6]])
x0 = np.tile([-1.2, 1.0], 3)
d = np.where(np.sin(np.arange(36.0)) > 0.4, np.cos(np.arange(36.0)), 0).reshape(6, 6) + 4 * np.eye(6)
sym = d + d.T
b = np.sin(np.arange(1.0, 7.0))
crossing = so.root(lambda z: [z[0] ** 2 + z[1] - 2.5, z[0] - z[1] ** 3 + 0.5], [1, 1], tol=1e-14).x
slopes = np.linalg.solve([[2 * crossing[0], 1], [1, -3 * crossing[1] ** 2]], [[1, 0], [0, -1]])
grads = jax.grad(lambda d, b: (jnp.linalg.solve(d, b) ** 2).sum(), (0, 1))(wide(d), wide(b))
hess = jax.hessian(lambda b: (jnp.linalg.solve(wide(sym) * (1 + b[0]), b) ** 3).sum())(wide(b))


def iterations(solve, a, **more):
    seen = []
    solve(ss.csr_matrix(a), b, rtol=1e-10, callback=seen.append, **more)
    return jnp.int32(len(seen))


def halves(x): return np.concatenate([x[:, : x.shape[1] // 2], x[:, -(x.shape[1] // 2) :]])


def r_hat(x):
    x = halves(x)
    within = x.var(1, ddof=1).mean(0)
    return np.sqrt((within * (1 - 1 / x.shape[1]) + x.mean(1).var(0, ddof=1)) / within)


def ess(x):
    """Sums over lags, without a Fourier transform."""
    x = halves(x)
    m, n = x.shape
    c = x - x.mean(1, keepdims=True)
    lag = np.array([(c[:, : n - k] * c[:, k:]).sum(1).mean() / (n - 1) for k in range(n)])
    whole = lag[0] * (1 - 1 / n) + x.mean(1).var(ddof=1)
    rho = 1 - (lag[0] - lag) / whole
    pairs = rho[0 : n // 2 * 2 : 2] + rho[1::2]
    stop = np.argmax(np.append(pairs, -1) <= 0)
    return m * n / max(2 * np.minimum.accumulate(pairs[:stop]).sum() - 1, 1 / np.log10(m * n))


walks = np.stack([np.cumsum(np.sin(np.arange(1, 61.0) ** 2 + k)) + 2 * np.cos(np.arange(60) / 7 + k) for k in range(3)])
pairs = [
    ("robertson(rates, f64(0), f64, 1e-11)", wide(both[:, :3]), 1e-8), ("robertson(rates, f64(0), f32, 1e-6)", narrow(both[:, :3]), 1e-4),
    ("jacrev(fn(p) = robertson(p, f64(0), f64, 1e-10)[:, 0])(rates)", wide(both[:, 3:6]), 1e-6),
    ("jvp(fn(v) = robertson(rates, v, f64, 1e-10)[1], (f64(0),), (f64(1),))[1]", wide(both[1, [6, 10, 14]]), 1e-6),
    ("oscillator(1000.0, f64, 1e-9)", wide(van), 1e-6),
    ("ode.stiff(fn(y, t) = stiff @ y, f64([1, 2, 3]), f64([0, 0.5, 3]), rtol=1e-10, atol=1e-14)[1:]", wide([expm(stiff * t) @ [1, 2, 3] for t in (0.5, 3)]), 1e-7),
    ("optim.minimize(valley, {x: start}, gtol=1e-10).x.x", wide(so.minimize(so.rosen, x0, jac=so.rosen_der, tol=1e-15).x), 1e-7),
    ("optim.minimize(valley, {x: f32(start)}).x.x", narrow(np.ones(6)), 1e-3),
    ("stack(tree.leaves(crossing(f64([2.5, 0.5]))))", wide(crossing), 1e-13),
    ("stack(tree.leaves(jacrev(crossing)(f64([2.5, 0.5]))))", wide(slopes), 1e-13),
    ("optim.root_scalar(fn(x) = x * exp(x) - c, f64(0), f64(5)).x", wide([so.brentq(lambda x: x * np.exp(x) - c, 0, 5, xtol=1e-15, rtol=1e-15) for c in (1, 2, 50)]), 1e-14),
    ("optim.root_scalar(fn(x) = x * exp(x) - f32(c), 0.0, 5.0).x", narrow([so.brentq(lambda x: x * np.exp(x) - c, 0, 5) for c in (1, 2, 50)]), 1e-6),
    ("vmap(grad(fn(c) = optim.root_scalar(fn(x) = x * exp(x) - c, f64(0), f64(5)).x))(c)", wide([1 / ((1 + w) * np.exp(w)) for w in (so.brentq(lambda x: x * np.exp(x) - c, 0, 5, xtol=1e-15, rtol=1e-15) for c in (1, 2, 50))]), 1e-13),
    *[(f"sparse.from_dense(d).{n}", jnp.asarray(getattr(ss.csr_matrix(d), m)), 0) for n, m in (("data", "data"), ("indices", "indices"), ("indptr", "indptr"))],
    ("sparse.matmul(sparse.from_dense(d), b)", wide(d @ b), 1e-14), (f"sparse.matmul(b, sparse.from_dense(d))", wide(d.T @ b), 1e-14), (f"sparse.diagonal(sparse.from_dense(d))", wide(d.diagonal()), 0),
    ("sparse.to_dense(sparse.transpose(sparse.from_dense(d)))", wide(d.T), 0), (f"sparse.to_dense(sparse.from_dense(d[:4], nnz=3))", wide(np.where(np.cumsum(d[:4].ravel() != 0) <= 3, d[:4].ravel(), 0).reshape(4, 6)), 0),
    ("solved(sparse.cg, sparse.from_dense(d + d.T))", wide(np.linalg.solve(sym, b)), 1e-12), ("sparse.cg(sparse.from_dense(d + d.T), b, tol=1e-10).iterations", iterations(sl.cg, sym), 0),
    ("solved(sparse.bicgstab, fn(x) = d @ x)", wide(np.linalg.solve(d, b)), 1e-12), ("solved(sparse.gmres, d)", wide(np.linalg.solve(d, b)), 1e-12),
    ("sparse.gmres(d, b, tol=1e-10).iterations", iterations(sl.gmres, d, callback_type="pr_norm"), 0), ("sparse.cg(f32(d + d.T), f32(b), tol=1e-6).x", narrow(np.linalg.solve(sym, b)), 1e-5),
    ("slopes(sparse.bicgstab)", wide(np.vstack([np.where(d == 0, 0, grads[0]), grads[1]])), 1e-10), ("slopes(sparse.gmres)", wide(np.vstack([np.where(d == 0, 0, grads[0]), grads[1]])), 1e-10),
    ("hessian(fn(b) = sum(sparse.cg((d + d.T) * (1 + b[0]), b, tol=1e-13).x ** 3))(b)[0]", wide(hess[0]), 1e-9),
    *[(f'image.resize(walks, ({n}, {m}), method="{f}", antialias={str(a).lower()})', jax.image.resize(wide(walks), (n, m), f, a), 1e-12) for f, n, m, a in (("nearest", 7, 11, True), ("linear", 2, 17, True), ("cubic", 5, 13, True), ("cubic", 5, 13, False), ("lanczos3", 3, 70, True))],
    ("mcmc.r_hat(walks)", wide(r_hat(walks)), 1e-12), ("mcmc.ess(walks)", wide(ess(walks)), 1e-10), ("mcmc.ess(diff(walks, axis=1))", wide(ess(np.diff(walks))), 1e-10),
    ("mcmc.ess(f32(walks[:1]))", narrow(ess(walks[:1])), 1e-4),
]
setup = [("rates", rates), ("stiff", stiff), ("start", x0), ("c", np.array([1.0, 2.0, 50.0])), ("d", d), ("b", b), ("walks", walks)]

print("# Made by solver_values.py: solutions of equations by SciPy, NumPy and JAX. pm run tests/oracle/solver_values.pm")
print(functions)
for name, value in setup:
    values, shape, _ = text(wide(value))
    print(f"let {name} = {values}.reshape({shape})")
print()
for ours, value, rtol in pairs:
    values, shape, dtype = text(value)
    label = ours.replace('"', "'").replace("{", "(").replace("}", ")")
    print(f'check("{label}", array({ours}), {values}, {shape}, {dtype}, {rtol!r})')
print("""
# Samples of a funnel, whose scale exp(v / 2) differs from draw to draw, have the right distribution of v.
let r = vmap(fn(k) = mcmc.hmc(k, funnel, {v: 0.0, x: zeros(3)}, target=0.95))(random.split(random.key(0), 4))
let (center, spread) = (mean(r.draws.v), std(r.draws.v))
assert(abs(center) < 0.4 and abs(spread - 1.5) < 0.3, "v has mean {center} and standard deviation {spread}")
assert(mcmc.r_hat(r.draws.v) < 1.1 and mcmc.ess(r.draws.v) > 100 and mean(r.accept) > 0.8)""")
print(f'print("{len(pairs)} expressions have the values expected")')
