# pmap distributes over devices, vmap vectorises within one. Any nesting of the two computes the same bits.

fn item_work(item) {
    print("an item has shape {item.shape}")
    tanh(item) * 2
}
fn device_work(batch) {
    print("a device has shape {batch.shape}")
    vmap(fn(item) = tanh(item) * 2)(batch)
}

let x = linspace(-2.0, 2.0, 24).reshape(2, 3, 4)
let y = pmap(device_work)(x)
print("result has shape {y.shape}")
print("first device, first item: {y[0, 0]:.5f}")

let f = fn(item) = tanh(item) * 2
print("equal to pmap(vmap(f)): {array_equal(y, pmap(vmap(f))(x))}")
print("equal to vmap(vmap(f)): {array_equal(y, vmap(vmap(f))(x))}")
print("equal to vmap(pmap(f)): {array_equal(y, vmap(pmap(f), in_axes=1, out_axes=1)(x))}")
let _ = vmap(item_work)(x[0])
