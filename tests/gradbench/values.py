"""Writes evaluations.jsonl: small inputs and outputs of the GradBench programs, computed with JAX, NumPy and SciPy in f64.

Run: python values.py >evaluations.jsonl
Where possible the formulas differ from those of the programs: SciPy's densities for gmm, counted clusters for kmeans, loops over elements for ode,
lstm and ba. The derivatives of ba are those of the whole vector of residuals, read from a dense matrix.
"""

import json

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.special import multigammaln

jax.config.update("jax_enable_x64", True)
rng = np.random.default_rng(20261122)


def plain(tree):
    return jax.tree_util.tree_map(lambda x: np.asarray(x).tolist(), tree)


def emit(module, function, input, output):
    print(json.dumps({"module": module, "function": function, "input": plain(input), "output": plain(output)}))


# ---- hello


def hello():
    for x in (1.0, -2.5, 128.0, 0.0):
        emit("hello", "square", x, x * x)
        emit("hello", "double", x, 2 * x)


# ---- gmm: log of prod_i sum_k phi_k N(x_i) times prod_k W(precision_k)


def gmm_objective(p, x, m, gamma):
    k, d = p["mu"].shape
    weight = jax.nn.softmax(p["alpha"])
    total = 0.0
    precisions = []
    for c in range(k):
        rows = [[0.0] * d for _ in range(d)]
        entries = iter(range(d * (d - 1) // 2))
        for column in range(d):
            rows[column][column] = jnp.exp(p["q"][c, column])
            for row in range(column + 1, d):
                rows[row][column] = p["l"][c, next(entries)]
        q = jnp.array(rows)
        precisions.append(q.T @ q)
    for point in x:
        density = 0.0
        for c in range(k):
            off = point - p["mu"][c]
            norm = jnp.sqrt(jnp.linalg.det(precisions[c]) / (2 * jnp.pi) ** d)
            density += weight[c] * norm * jnp.exp(-0.5 * off @ precisions[c] @ off)
        total += jnp.log(density)
    degrees = d + m + 1
    for precision in precisions:  # Wishart with scale I / gamma^2
        total += 0.5 * (degrees - d - 1) * jnp.linalg.slogdet(precision)[1]
        total -= 0.5 * gamma**2 * jnp.trace(precision)
        total -= 0.5 * degrees * d * jnp.log(2.0) - degrees * d * jnp.log(gamma) + multigammaln(0.5 * degrees, d)
    return total


def gmm():
    for d, k, n, m, gamma in ((2, 3, 6, 0, 1.0), (3, 2, 5, 2, 0.7), (4, 5, 4, 1, 1.3), (1, 2, 3, 0, 1.0)):
        p = {
            "alpha": rng.normal(size=k),
            "mu": rng.uniform(size=(k, d)),
            "q": 0.4 * rng.normal(size=(k, d)),
            "l": rng.normal(size=(k, d * (d - 1) // 2)),
        }
        x = rng.normal(size=(n, d))
        input = {"d": d, "k": k, "n": n, "x": x, "m": m, "gamma": gamma} | p
        emit("gmm", "objective", input, gmm_objective(p, x, m, gamma))
        emit("gmm", "jacobian", input, jax.grad(gmm_objective)(p, x, m, gamma))


# ---- kmeans: Newton's step moves a centroid to the mean of its points


def kmeans():
    for k, n, d in ((1, 4, 2), (3, 12, 2), (5, 40, 3)):
        points = rng.uniform(size=(n, d))
        centroids = points[-k:] + 0.01
        distance = np.array([[np.sum((p - c) ** 2) for c in centroids] for p in points])
        owner = distance.argmin(axis=1)
        step = [centroids[c] - points[owner == c].mean(axis=0) for c in range(k)]
        input = {"points": points, "centroids": centroids}
        emit("kmeans", "cost", input, distance.min(axis=1).sum())
        emit("kmeans", "dir", input, np.array(step))


# ---- ode


def ode_solve(x, s):
    def slope(y):
        return [x[0]] + [x[i] * y[i - 1] for i in range(1, len(x))]

    def moved(y, k, by):
        return [a + by * b for a, b in zip(y, k)]

    h = 2.0 / s
    y = [0.0] * len(x)
    for _ in range(s):
        k1 = slope(y)
        k2 = slope(moved(y, k1, h / 2))
        k3 = slope(moved(y, k2, h / 2))
        k4 = slope(moved(y, k3, h))
        y = [y[i] + h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]) for i in range(len(x))]
    return jnp.stack(y)


def ode():
    for n, s in ((1, 1), (2, 3), (5, 4), (9, 7)):
        x = rng.uniform(size=n)
        emit("ode", "primal", {"x": x, "s": s}, ode_solve(jnp.array(x), s))
        emit("ode", "gradient", {"x": x, "s": s}, jax.grad(lambda x: ode_solve(x, s)[-1])(jnp.array(x)))


# ---- lstm


def lstm_objective(main, extra, state, sequence):
    def sigmoid(x):
        return 1 / (1 + jnp.exp(-x))

    bits = sequence.shape[1]
    hidden = list(state[0::2])
    cell = list(state[1::2])
    total = 0.0
    for now, following in zip(sequence[:-1], sequence[1:]):
        x = now * extra[0]
        for i in range(len(hidden)):
            weight = main[2 * i].reshape(4, bits)
            bias = main[2 * i + 1].reshape(4, bits)
            forget = sigmoid(x * weight[0] + bias[0])
            enter = sigmoid(hidden[i] * weight[1] + bias[1])
            leave = sigmoid(x * weight[2] + bias[2])
            change = jnp.tanh(hidden[i] * weight[3] + bias[3])
            cell[i] = cell[i] * forget + enter * change
            x = hidden[i] = leave * jnp.tanh(cell[i])
        guess = x * extra[1] + extra[2]
        total += jnp.dot(following, guess) - jnp.sum(following) * jnp.log(jnp.sum(jnp.exp(guess)) + 2)
    return -total / ((len(sequence) - 1) * bits)


def lstm():
    for l, c, b in ((1, 2, 1), (1, 4, 3), (2, 5, 4), (3, 9, 7)):
        main = rng.uniform(-1, 1, size=(2 * l, 4 * b))
        extra = rng.uniform(-1, 1, size=(3, b))
        state = rng.uniform(-1, 1, size=(2 * l, b))
        sequence = rng.integers(0, 2, size=(c, b)).astype(float)
        input = {"main_params": main, "extra_params": extra, "state": state, "sequence": sequence}
        emit("lstm", "objective", input, lstm_objective(main, extra, state, sequence))
        by_main, by_extra = jax.grad(lstm_objective, (0, 1))(main, extra, state, sequence)
        emit("lstm", "jacobian", input, jnp.concatenate((by_main.ravel(), by_extra.ravel())))


# ---- ba


def ba_residuals(cameras, points, weights, feature, seen):
    """All 2 p + p residuals as one vector."""
    out = []
    for j, (c, i) in enumerate(seen):
        cam = cameras[c]
        r, x = cam[:3], points[i] - cam[3:6]
        angle = jnp.linalg.norm(r)
        n = r / angle
        cross = jnp.array([[0, -n[2], n[1]], [n[2], 0, -n[0]], [-n[1], n[0], 0]])
        x = (jnp.eye(3) + jnp.sin(angle) * cross + (1 - jnp.cos(angle)) * cross @ cross) @ x
        u = x[:2] / x[2]
        rr = u @ u
        out.append(weights[j] * (cam[6] * u * (1 + cam[9] * rr + cam[10] * rr**2) + cam[7:9] - feature))
    return jnp.concatenate(out + [1 - weights**2])


def ba():
    for n, m, p in ((1, 1, 1), (2, 3, 7), (3, 5, 16)):
        cam = np.concatenate((rng.uniform(0.1, 1, size=3), rng.normal(size=3), [500.0, 3.0, -2.0, 0.01, -0.002]))
        x = rng.normal(size=3) + np.array([0.0, 0.0, 8.0])
        w, feat = 0.8, rng.normal(size=2)
        arrays = (np.tile(cam, (n, 1)), np.tile(x, (m, 1)), np.full(p, w))
        seen = [(j % n, j % m) for j in range(p)]
        residuals = ba_residuals(*map(jnp.array, arrays), feat, seen)
        dense = jax.jacfwd(ba_residuals, (0, 1, 2))(*map(jnp.array, arrays), feat, seen)
        dense = np.concatenate([np.asarray(part).reshape(3 * p, -1) for part in dense], axis=1)
        # Elements that can be nonzero, also if they are zero here.
        columns = []
        for j, (c, i) in enumerate(seen):
            columns += 2 * [[*range(11 * c, 11 * c + 11), *(11 * n + 3 * i + a for a in range(3)), 11 * n + 3 * m + j]]
        columns += [[11 * n + 3 * m + j] for j in range(p)]
        for row, used in zip(dense.copy(), columns):
            row[used] = 0
            assert not row.any()
        rows = np.cumsum([0] + [len(used) for used in columns]).tolist()
        values = [float(dense[row, column]) for row, used in enumerate(columns) for column in used]
        flat = [column for used in columns for column in used]
        input = {"n": n, "m": m, "p": p, "cam": cam, "x": x, "w": w, "feat": feat}
        emit(
            "ba",
            "objective",
            input,
            {
                "reproj_error": {"elements": residuals[:2], "repeated": p},
                "w_err": {"element": residuals[-1], "repeated": p},
            },
        )
        emit("ba", "jacobian", input, {key: list[:30] + list[-1:] for key, list in (("rows", rows), ("cols", flat), ("vals", values))})


hello()
gmm()
kmeans()
ode()
lstm()
ba()
