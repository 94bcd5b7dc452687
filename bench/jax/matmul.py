import jax
import timing

ka, kb = jax.random.split(jax.random.key(0))
a = jax.block_until_ready(jax.random.normal(ka, (1024, 1024)))
b = jax.block_until_ready(jax.random.normal(kb, (1024, 1024)))
f = jax.jit(lambda a, b: a @ b)
timing.steady("matrix product 1024", lambda: f(a, b), 25)
