import jax
import jax.numpy as jnp
import timing
from sizes import scaled

iterations = scaled(100_000, 10)
start = jax.block_until_ready(jnp.arange(4.0))
carried = jax.jit(lambda x: jax.lax.scan(lambda x, _: (x - 0.001 * (x * x * x - x + 0.1), None), x, None, length=iterations)[0])
timing.steady(f"scan of {iterations} tiny steps", lambda: carried(start), 7)


@jax.jit
def searched(x, small):
    return jax.lax.while_loop(lambda c: jnp.max(c[0]) > small, lambda c: (0.999 * c[0], c[1] + 1), (x, 0))


small = 1e-3 if iterations > 1000 else 0.99
width = scaled(65536, 16)
x = jax.block_until_ready(jnp.ones(width))
needed = int(searched(x, small)[1])
timing.steady(f"while over {width} f32 until its greatest is small, {needed} iterations", lambda: searched(x, small), 7)

n = scaled(4096, 16)
steps = scaled(20, 2)


def pull(x):
    d = x[None] - x[:, None]
    r2 = jnp.sum(d * d, axis=-1) + 0.0025
    return jnp.sum(d / (r2 * jnp.sqrt(r2))[..., None], axis=1) / n


@jax.jit
def move(x, v):
    def step(_, state):
        x, v = state
        v = v + 0.01 * pull(x)
        return x + 0.01 * v, v

    return jax.lax.fori_loop(0, steps, step, (x, v))


x = jax.block_until_ready(jax.random.normal(jax.random.key(1), (n, 3)))
v = jax.block_until_ready(jnp.zeros((n, 3)))
timing.steady(f"{n} bodies, {steps} steps", lambda: move(x, v), 7)

points, centres = scaled(262144, 64), scaled(64, 4)
moves = scaled(10, 2)


def move_centres(centres, points):
    k = len(centres)
    distance = jnp.sum(points**2, axis=1)[:, None] - 2 * (points @ centres.T) + jnp.sum(centres**2, axis=1)
    group = jnp.argmin(distance, axis=1)
    count = jax.ops.segment_sum(jnp.ones(len(points)), group, num_segments=k)
    return jax.ops.segment_sum(points, group, num_segments=k) / jnp.maximum(count, 1)[:, None]


kmeans = jax.jit(lambda centres, points: jax.lax.fori_loop(0, moves, lambda _, c: move_centres(c, points), centres))
p = jax.block_until_ready(jax.random.normal(jax.random.key(2), (points, 16)))
first = jax.block_until_ready(p[:centres])
timing.steady(f"k-means, {points} points of 16 numbers, {centres} centres, {moves} iterations", lambda: kmeans(first, p), 7)
