"""The MLP of examples/digits.pm."""

import jax
import jax.numpy as jnp


def mlp(params, x):
    for layer in params[:-1]:
        x = jax.nn.relu(x @ layer["w"] + layer["b"])
    return x @ params[-1]["w"] + params[-1]["b"]


def loss_fn(params, x, y):
    log_p = jax.nn.log_softmax(mlp(params, x))
    return -jnp.mean(jnp.take_along_axis(log_p, y[:, None], axis=1))


def init(sizes=(64, 128, 10)):
    params = []
    for i, (n, m) in enumerate(zip(sizes, sizes[1:])):
        key = jax.random.fold_in(jax.random.key(0), i)
        params.append({"w": jax.random.normal(key, (n, m)) * (2 / n) ** 0.5, "b": jnp.zeros(m)})
    return jax.block_until_ready(params)


def data(shape, features=64):
    kx, ky = jax.random.split(jax.random.key(1))
    return jax.block_until_ready((jax.random.uniform(kx, (*shape, features)), jax.random.randint(ky, shape, 0, 10)))
