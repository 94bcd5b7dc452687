import jax
import jax.numpy as jnp
import timing
from sizes import scaled

n = scaled(2**24, 64)
key = jax.block_until_ready(jax.random.key(0))
uniform = jax.jit(lambda key: jax.random.uniform(key, (n,)))
timing.steady(f"{n} uniform random numbers", lambda: uniform(key), 15)
normal = jax.jit(lambda key: jax.random.normal(key, (n,)))
timing.steady(f"{n} normal random numbers", lambda: normal(key), 15)
x = jax.block_until_ready(uniform(key))
ordered = jax.jit(jnp.sort)
timing.steady(f"sort of {n} f32", lambda: ordered(x), 7)
