import timing

timing.devices(8)
import jax
import jax.numpy as jnp


def search(x):
    def go_on(state):
        x, iterations = state
        return jnp.logical_and(jax.lax.psum(jnp.sum(x), "i") > 1e-3, iterations < 1000)

    return jax.lax.while_loop(go_on, lambda state: (0.999 * state[0], state[1] + 1), (x, 0))[0]


for devices in (2, 4, 8):
    x = timing.on_devices(jax.random.uniform(jax.random.key(0), (devices, 8)))
    small = jax.pmap(lambda x: 2 * x + 1)
    timing.first_and_later(f"pmapped small function, {devices} devices", lambda: small(x), 200)
    pmapped = jax.pmap(search, axis_name="i")
    timing.steady_of(f"while in pmap, an iteration, {devices} devices", lambda: pmapped(x), 5, 1000)
