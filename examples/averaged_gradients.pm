# Data-parallel gradients: each device differentiates the loss of its own row, and pmean averages over all devices.
# `out_axes=(none, none)` returns single values. It is allowed since pmean makes them equal on all devices.

fn predict((w, b), x) = w * x + b
fn loss_fn(params, x, y) = mean((predict(params, x) - y) ** 2)
fn update(params, x, y) {
    let (loss, grads) = value_and_grad(loss_fn)(params, x, y)
    (pmean(loss, "devices"), pmean(grads, "devices"))
}
let step = pmap(update, axis_name="devices", in_axes=(none, 0, 0), out_axes=(none, none))
let x = arange(8.0).reshape(2, 4)
let y = 3 * x + 2
let (loss, (dw, db)) = step((2.0, 1.0), x, y)
print("Average Loss across devices: {loss:.4f}")
print("Averaged Gradients (dw, db): ({dw:.4f}, {db:.4f})")

# The losses and gradients of each device before the average:
let (losses, (dws, dbs)) = pmap(value_and_grad(loss_fn), in_axes=(none, 0, 0))((2.0, 1.0), x, y)
print("device by device: loss {losses}, dw {dws}, db {dbs}")
