import timing

timing.devices(8)
import jax
from model import data, init, loss_fn


def step(params, x, y, mean):
    loss, grads = jax.value_and_grad(loss_fn)(params, x, y)
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, mean(grads)), mean(loss)


def on_devices(params, x, y):
    return step(params, x, y, lambda t: jax.lax.pmean(t, "batch"))


for name, sizes, batch, n in (("digits", (64, 128, 10), 64, 200), ("Fashion-MNIST", (784, 256, 128, 10), 256, 50)):
    params = init(sizes)
    for devices in (2, 4, 8):
        x, y = data((devices, batch // devices), sizes[0])
        x, y = timing.on_devices(x), timing.on_devices(y)
        f = jax.pmap(on_devices, axis_name="batch", in_axes=(None, 0, 0), out_axes=None)
        timing.first_and_later(f"pmapped step of the {name} MLP, {devices} devices", lambda: f(params, x, y), n)
    x, y = data((batch,), sizes[0])
    whole = jax.jit(lambda params, x, y: step(params, x, y, lambda t: t))
    timing.steady(f"step of the {name} MLP, the batch whole", lambda: whole(params, x, y), n)
