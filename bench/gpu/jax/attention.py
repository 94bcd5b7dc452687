import jax
import jax.numpy as jnp
import timing
from sizes import scaled

batch, heads, width = scaled(8), scaled(16, 2), 64
length = scaled(1024, 16)
q, k, v = jax.block_until_ready([jax.random.normal(key, (batch, heads, length, width)) for key in jax.random.split(jax.random.key(0), 3)])


def attention(q, k, v):
    scores = q @ k.mT / jnp.sqrt(1.0 * width)
    scores = jnp.where(jnp.tril(jnp.ones((length, length), bool)), scores, jnp.finfo(scores.dtype).min)
    return jax.nn.softmax(scores) @ v


f = jax.jit(attention)
timing.steady(f"causal attention, {batch} x {heads} x {length} x {width} f32", lambda: f(q, k, v), 15)
g = jax.jit(jax.grad(lambda q, k, v: jnp.sum(attention(q, k, v)), (0, 1, 2)))
timing.steady("gradient of causal attention", lambda: g(q, k, v), 15)
