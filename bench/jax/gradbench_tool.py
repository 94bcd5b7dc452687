"""JAX as a tool of GradBench: the JAX programs of the benchmark, and usual programs for lstm (a scan) and ba (vmap of jacrev), which it lacks.
JAX computes asynchronously, so the benchmark would measure too little time: this tool waits for every run. PYTHONPATH has the benchmark's packages
and JAX programs (see bench/gradbench.py)."""

import json
import sys
import traceback
from importlib import import_module

import jax
import jax.numpy as jnp
import numpy as np
from gradbench import wrap

jax.config.update("jax_enable_x64", True)

multiple_runs = wrap.multiple_runs


def waited_for(**options):
    return lambda function: multiple_runs(**options)(lambda input: jax.block_until_ready(function(input)))


wrap.multiple_runs = waited_for

# ---- lstm


def loss(parameters, state, sequence):
    main, extra = parameters
    c, b = sequence.shape
    layers = main.reshape(-1, 2, 4, b)

    def step(carry, pair):
        state, total = carry
        now, following = pair
        x, new = now * extra[0], []
        for (weight, bias), (hidden, cell) in zip(layers, state):
            forget, into, out, change = jnp.stack((x, hidden, x, hidden)) * weight + bias
            cell = cell * jax.nn.sigmoid(forget) + jax.nn.sigmoid(into) * jnp.tanh(change)
            x = jax.nn.sigmoid(out) * jnp.tanh(cell)
            new.append(jnp.stack((x, cell)))
        guess = x * extra[1] + extra[2]
        total += jnp.sum(following * (guess - jnp.log(2 + jnp.sum(jnp.exp(guess)))))
        return (jnp.stack(new), total), None

    start = (state.reshape(-1, 2, b), 0.0)
    (_, total), _ = jax.lax.scan(step, start, (sequence[:-1], sequence[1:]))
    return -total / ((c - 1) * b)


def lstm_input(input):
    parts = {name: jnp.array(input[name]) for name in ("main_params", "extra_params", "state", "sequence")}
    return (parts["main_params"], parts["extra_params"]), parts["state"], parts["sequence"]


lstm_jit, lstm_grad = jax.jit(loss), jax.jit(jax.grad(loss))


@wrap.multiple_runs(pre=lstm_input, post=float)
def lstm_objective(args):
    return lstm_jit(*args)


@wrap.multiple_runs(pre=lstm_input, post=lambda out: [*out[0].ravel().tolist(), *out[1].ravel().tolist()])
def lstm_jacobian(args):
    return lstm_grad(*args)


# ---- ba


def residual(camera, x, weight, feature):
    r, x = camera[:3], x - camera[3:6]
    angle = jnp.sqrt(jnp.sum(r**2))
    axis = r / angle
    x = x * jnp.cos(angle) + jnp.cross(axis, x) * jnp.sin(angle) + axis * (axis @ x * (1 - jnp.cos(angle)))
    plane = x[:2] / x[2]
    r2 = jnp.sum(plane**2)
    seen = plane * (1 + camera[9] * r2 + camera[10] * r2**2) * camera[6] + camera[7:9]
    return weight * (seen - feature)


def weight_residual(weight):
    return 1 - weight**2


def ba_input(input):
    n, m, p = input["n"], input["m"], input["p"]
    seen = np.arange(p)
    return {
        "cameras": jnp.tile(jnp.array(input["cam"]), (n, 1)),
        "points": jnp.tile(jnp.array(input["x"]), (m, 1)),
        "weights": jnp.full(p, input["w"]),
        "features": jnp.tile(jnp.array(input["feat"]), (p, 1)),
        "camera": jnp.array(seen % n),
        "point": jnp.array(seen % m),
    }


def ba_report(out):
    reprojection, weights = out
    return {
        "reproj_error": {"elements": reprojection[0].tolist(), "repeated": len(reprojection)},
        "w_err": {"element": float(weights[0]), "repeated": len(weights)},
    }


@jax.jit
def ba_errors(a):
    rows = a["cameras"][a["camera"]], a["points"][a["point"]], a["weights"], a["features"]
    return jax.vmap(residual)(*rows), jax.vmap(weight_residual)(a["weights"])


@jax.jit
def ba_matrix(a):
    n, m, p = len(a["cameras"]), len(a["points"]), len(a["weights"])
    rows = a["cameras"][a["camera"]], a["points"][a["point"]], a["weights"], a["features"]
    by_camera, by_point, by_weight = jax.vmap(jax.jacrev(residual, argnums=(0, 1, 2)))(*rows)
    blocks = jnp.concatenate((by_camera, by_point, by_weight[:, :, None]), axis=2)
    weight_column = 11 * n + 3 * m + jnp.arange(p)
    columns = jnp.concatenate(
        (11 * a["camera"][:, None] + jnp.arange(11), 11 * n + 3 * a["point"][:, None] + jnp.arange(3), weight_column[:, None]), axis=1
    )
    return {
        "rows": jnp.concatenate((15 * jnp.arange(2 * p), 30 * p + jnp.arange(p + 1))),
        "cols": jnp.concatenate((jnp.repeat(columns, 2, axis=0).ravel(), weight_column)),
        "vals": jnp.concatenate((blocks.ravel(), jax.vmap(jax.grad(weight_residual))(a["weights"]))),
    }


@wrap.multiple_runs(pre=ba_input, post=ba_report)
def ba_objective(a):
    return ba_errors(a)


@wrap.multiple_runs(pre=ba_input, post=lambda out: {k: [*v[:30].tolist(), v[-1].item()] for k, v in out.items()})
def ba_jacobian(a):
    return ba_matrix(a)


OWN = {
    "lstm": {"objective": lstm_objective, "jacobian": lstm_jacobian},
    "ba": {"objective": ba_objective, "jacobian": ba_jacobian},
}


def function(module, name):
    return OWN[module][name] if module in OWN else getattr(import_module(module), name)


def respond(message):
    if message["kind"] == "start":
        return {"tool": "jax"}
    try:
        if message["kind"] == "define":
            if message["module"] not in OWN:
                import_module(message["module"])
            return {"success": True}
        if message["kind"] == "evaluate":
            return function(message["module"], message["function"]).wrapped(message["input"])
    except Exception as problem:
        return {"success": False, "error": "".join(traceback.format_exception(problem))}
    return {}


if __name__ == "__main__":
    for line in sys.stdin:
        message = json.loads(line)
        print(json.dumps({"id": message["id"]} | respond(message)), flush=True)
