import jax
import jax.numpy as jnp
import timing
from sizes import scaled

n = scaled(4096, 16)
ka, kb = jax.random.split(jax.random.key(0))
a = jax.block_until_ready(jax.random.normal(ka, (n, n)))
b = jax.block_until_ready(jax.random.normal(kb, (n, n)))
product = jax.jit(lambda a, b: a @ b)
timing.steady(f"matrix product {n}, f32", lambda: product(a, b), 15)
exact = jax.jit(lambda a, b: jnp.matmul(a, b, precision="highest"))
timing.steady(f"matrix product {n}, f32, highest precision", lambda: exact(a, b), 15)
a, b = jax.block_until_ready((a.astype(jnp.bfloat16), b.astype(jnp.bfloat16)))
timing.steady(f"matrix product {n}, bf16", lambda: product(a, b), 15)
