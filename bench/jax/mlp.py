import jax
import timing
from model import data, init, loss_fn

f = jax.jit(jax.value_and_grad(loss_fn))
params = init()
x, y = data((64,))
timing.first_and_later("value_and_grad of the digits MLP", lambda: f(params, x, y), 200)
