# Writes small_systems.pm: the errors of LAPACK on random small systems, as limits for the errors of the language's loops for them.
# python3 small_systems.py > small_systems.pm   (SciPy 1.17.1, some minutes: a million systems of each kind and size, one call of LAPACK for each)
# `pm run small_systems.pm 1000000` tests as many systems here; without a number only some with three rows.
import numpy as np
from scipy.linalg import lapack

count, rng = 1_000_000, np.random.default_rng(0)
eps = np.finfo(np.float32).eps
figures = ("solve", "inv", "det", "lu")


def top(x): return np.abs(x).reshape(len(x), -1).max(1)
def norm(a): return np.abs(a).sum(-1).max(-1)
def reflection(v): return np.eye(v.shape[1]) - 2 * v[:, :, None] * v[:, None, :] / (v * v).sum(-1)[:, None, None]


def matrices(kind, n):
    a = rng.normal(size=(count, n, n))
    if kind == "rows": return a * 10 ** rng.uniform(-4, 4, size=(count, n, 1))
    if kind == "columns": return a * 10 ** rng.uniform(-4, 4, size=(count, 1, n))
    if kind == "near singular":
        sizes = 10 ** (rng.uniform(0, 7, size=(count, 1)) * -np.linspace(0, 1, n))
        return reflection(a[:, 0]) * sizes[:, None, :] @ reflection(a[:, 1])
    return a


def found(a, b):
    """x, inverse, determinant and the product of the factors in the order of the rows, each by LAPACK in f32."""
    n = a.shape[-1]
    for one, right in zip(a, b):
        m, p, x, _ = lapack.sgesv(one, right)
        inverse, _ = lapack.sgetri(m, p)
        exact = m.astype(np.float64)
        back = (np.tril(exact, -1) + np.eye(n)) @ np.triu(exact)
        sign = 1
        for i in reversed(range(n)):
            if p[i] != i: back[[i, p[i]]], sign = back[[p[i], i]], -sign
        yield x, inverse, sign * np.prod(np.diagonal(m)), back


def worst(a, b):
    """The greatest backward errors, in eps. The error of the determinant is relative to its change if each element changes by the greatest one."""
    x, inverse, det, back = (np.array(part).astype(np.float64) for part in zip(*found(a, b)))
    a, b, one = a.astype(np.float64), b.astype(np.float64), np.eye(a.shape[-1])
    true_det, true_inverse = np.linalg.det(a), np.linalg.inv(a)
    return [e.max() / eps for e in (
        top(b - (a @ x[..., None])[..., 0]) / (norm(a) * top(x) + top(b)),
        np.minimum(norm(a @ inverse - one), norm(inverse @ a - one)) / (norm(a) * norm(inverse)),
        np.abs(det - true_det) / (top(a) * np.abs(true_det[:, None, None] * true_inverse).sum((-1, -2))),
        norm(back - a) / norm(a))]


print("""# Made by small_systems.py: how exact LAPACK solves a million small systems of each kind and size in f32. pm run tests/oracle/small_systems.pm [COUNT], of three rows without it
let quick = len(args) == 0
let count = if quick { 2000 } else { int(args[0]) }
fn reflection(v) = eye(len(v)) - 2 * outer(v, v) / (v @ v)
fn matrices(kind, n, key) {
    let (k, l) = random.split(key)
    let a = random.normal(k, (count, n, n))
    if kind == "rows" { return a * 10 ** random.uniform(l, (count, n, 1), minval=-4.0, maxval=4.0) }
    if kind == "columns" { return a * 10 ** random.uniform(l, (count, 1, n), minval=-4.0, maxval=4.0) }
    if kind != "near singular" { return a }
    let sizes = 10 ** (random.uniform(l, (count, 1), maxval=7.0) * -linspace(0.0, 1.0, n))
    vmap(fn(m, s) = reflection(m[0]) * s @ reflection(m[1]))(a, sizes)
}
fn top(x) = max(abs(f64(x)))
fn norm(a) = max(sum(abs(f64(a)), axis=1))
fn errors(a, b) {
    let (x, inverse, det, (p, l, u)) = (linalg.solve(a, b), linalg.inv(a), linalg.det(a), linalg.lu(a))
    let (a, b, n) = (f64(a), f64(b), len(a))
    let true_det = linalg.det(a)
    (
        top(b - a @ f64(x)) / (norm(a) * top(x) + top(b)),
        minimum(norm(a @ f64(inverse) - eye(n)), norm(f64(inverse) @ a - eye(n))) / (norm(a) * norm(inverse)),
        abs(det - true_det) / (top(a) * sum(abs(true_det * linalg.inv(a)))),
        norm(f64(p) @ f64(l) @ f64(u) - a) / norm(a),
    )
}
## LAPACK's greatest error of each function, in eps; here it may be half as great again, or 1.
fn check(kind, n, of_lapack) {
    if quick and n != 3 { return none }
    let (k, l) = random.split(random.key(n))
    let found = vmap(errors)(matrices(kind, n, k), random.normal(l, (count, n)))
    for (i, name) in enumerate(("solve", "inv", "det", "lu")) {
        let worst = max(found[i]) / finfo(f32).eps
        if not quick { print("{name} of {kind} matrices of {n} rows: {worst:.2f}, LAPACK {of_lapack[i]}") }
        assert(worst < maximum(1, 1.5 * of_lapack[i]), "{name} of {kind} matrices of {n} rows: {worst:.2f} eps, LAPACK {of_lapack[i]}")
    }
}
""")
for n in (2, 3, 4, 6):
    for kind in ("normal", "rows", "columns", "near singular"):
        a = matrices(kind, n).astype(np.float32)
        b = rng.normal(size=(count, n)).astype(np.float32)
        print(f'check("{kind}", {n}, ({", ".join(f"{w:.2f}" for w in worst(a, b))}))', flush=True)
print('print("small systems are solved as exactly as LAPACK solves them")')
