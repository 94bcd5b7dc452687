import jax
import jax.numpy as jnp
import timing
from model import data, init, loss_fn
from sizes import scaled


def measure(name, loss_of, params, x, y):
    @jax.jit
    def step(params, x, y):
        loss, grads = jax.value_and_grad(loss_of)(params, x, y)
        return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads), loss

    timing.first_and_later(name, lambda: step(params, x, y), 20)


def pooled(x):
    return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")


def conv(x, w):
    return jax.lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


def conv_loss(p, x, y):
    x = pooled(jax.nn.relu(conv(x, p["c1"])))
    x = pooled(jax.nn.relu(conv(x, p["c2"])))
    log_p = jax.nn.log_softmax(x.reshape(len(x), -1) @ p["w"] + p["b"])
    return -jnp.mean(jnp.take_along_axis(log_p, y[:, None], axis=1))


for name, widths, batch in (
    ("digits", (64, 128, 10), scaled(64, 4)),
    ("Fashion-MNIST", (784, 256, 128, 10), scaled(256, 4)),
):
    x, y = data((batch,), widths[0])
    measure(f"step of the {name} MLP, batch {batch}", loss_fn, init(widths), x, y)

batch = scaled(256, 2)
features, more = scaled(32, 4), scaled(64, 4)
k1, k2, k3 = jax.random.split(jax.random.key(0), 3)
he_normal = jax.nn.initializers.he_normal()
params = {
    "c1": he_normal(k1, (3, 3, 1, features)),
    "c2": he_normal(k2, (3, 3, features, more)),
    "w": he_normal(k3, (7 * 7 * more, 10)),
    "b": jnp.zeros(10),
}
x, y = data((batch,), 28 * 28)
x = jax.block_until_ready(x.reshape(batch, 28, 28, 1))
measure(f"step of a conv net, {batch} pictures of 28 x 28, {features} and {more} features", conv_loss, params, x, y)
