import jax
import jax.numpy as jnp
import timing
from sizes import scaled

rows, columns = scaled(16384, 4), 4096
x = jax.block_until_ready(jax.random.uniform(jax.random.key(0), (rows, columns)))
size = f"{rows} x {columns} f32"

copied = jax.jit(lambda x: -x)
timing.steady(f"copy (negation), {size}", lambda: copied(x), 25)
chain = jax.jit(lambda x: jnp.tanh(x * 2 + 1) * jnp.exp(-x * x) + jnp.sqrt(jnp.abs(x)) * 0.5)
timing.steady(f"fused elementwise chain, {size}", lambda: chain(x), 25)
total = jax.jit(jnp.sum)
timing.steady(f"sum of all, {size}", lambda: total(x), 25)
by_rows = jax.jit(lambda x: jnp.sum(x, axis=1))
timing.steady(f"sums of rows, {size}", lambda: by_rows(x), 25)
by_columns = jax.jit(lambda x: jnp.sum(x, axis=0))
timing.steady(f"sums of columns, {size}", lambda: by_columns(x), 25)
softmax = jax.jit(jax.nn.softmax)
timing.steady(f"softmax of rows, {size}", lambda: softmax(x), 25)
normalised = jax.jit(lambda x: jax.nn.standardize(x, epsilon=1e-5))
timing.steady(f"layer norm of rows, {size}", lambda: normalised(x), 25)
