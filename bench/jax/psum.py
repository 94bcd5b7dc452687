import timing

timing.devices(8)
import jax


def repeated(x, iterations):
    return jax.lax.fori_loop(0, iterations, lambda _, x: 0.5 * (x + jax.lax.pmean(x, "i")), x)


for devices in (2, 4, 8):
    for size, count, iterations in (("4 KB", 2**12, 10_000), ("1 MB", 2**20, 100)):
        x = timing.on_devices(jax.random.uniform(jax.random.key(0), (devices, count // 4)))
        few = min(iterations, 200)  # the time of an iteration is the same; 10 000 take minutes
        f = jax.pmap(lambda x: repeated(x, few), axis_name="i")
        timing.steady_of(f"psum of {size} over {devices} devices, each of {iterations} iterations", lambda: f(x), 5, few)
    x = timing.on_devices(jax.random.uniform(jax.random.key(0), (devices, 2**24)))
    total = jax.pmap(lambda x: jax.lax.psum(x, "i"), axis_name="i", out_axes=None)
    timing.steady(f"psum of 64 MB over {devices} devices", lambda: total(x), 9)

x = jax.random.uniform(jax.random.key(0), (2**24,))
negated = jax.jit(lambda x: -x)
timing.steady("negation of 64 MB", lambda: negated(x), 9)
