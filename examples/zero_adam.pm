# A sharded optimiser (ZeRO; Rajbhandari et al. 2020). Adam keeps two numbers for every parameter; here each of n devices keeps those
# of 1 / n of the parameters. psum_scatter sums the gradients, and each device gets its part of the sum. The device updates its part
# of the parameters, and all_gather returns all parts to every device. One psum sends as much; the state takes 1 / n of the memory.

let table = random.permutation(random.key(1), read_csv("examples/data/digits.csv.gz", header=false))
let (images, labels) = (table[:, :64] / 16, i32(table[:, 64]))
let (parts, batch, steps) = (8, 64, 20)

fn loss(params, x, y) = mean(nn.cross_entropy(nn.mlp(params, x), y))
let adam = optim.adam(0.01)

# All parameters in one vector, padded with zeros to a multiple of the number of parts.
let start = nn.mlp_init(random.key(2), (64, 48, 10))
let (vector, as_tree) = tree.ravel(start)
let flat = pad(vector, (0, -len(vector) % parts))
fn flat_loss(flat, x, y) = loss(as_tree(flat[:len(vector)]), x, y)

## Steps of one device: flat is the whole vector, state this device's part of Adam's state, x and y its share of each batch.
fn train(flat, state, x, y) {
    let size = len(flat) // parts
    let me = axis_index("devices")
    mut flat = flat
    mut state = state
    for (xb, yb) in zip(x, y) {
        let grads = psum_scatter(grad(flat_loss)(flat, xb, yb) / parts, "devices", tiled=true)
        let (moved, next) = adam.update(flat[me * size:+size], state, grads)
        state = next
        flat = all_gather(moved, "devices", tiled=true)
    }
    (flat, state)
}
let axes = {step: none, m: 0, v: 0}  # the step is equal on all devices, the averages are cut
let on_devices = pmap(
    train,
    axis_name="devices",
    in_axes=(none, axes, 1, 1),
    out_axes=(none, axes),
    axis_size=parts,
    tiled=true,
)

## The same with Adam's whole state on one device.
fn train_alone(params, x, y) {
    mut params = params
    mut state = adam.init(params)
    for (xb, yb) in zip(x, y) {
        (params, state) = adam.update(params, state, grad(loss)(params, xb, yb))
    }
    params
}

let x = images[:steps * batch].reshape(steps, batch, 64)
let y = labels[:steps * batch].reshape(steps, batch)
let (found, state) = on_devices(flat, adam.init(flat), x, y)
let ours = as_tree(found[:len(vector)])
let whole = train_alone(start, x, y)
fn loss_now(p) = loss(p, images, labels)
print("{len(vector)} parameters; a device keeps {2 * len(flat) // parts} numbers of Adam's {2 * len(vector)}")
print("loss {loss_now(start):.3f} -> {loss_now(ours):.3f}, with the whole state {loss_now(whole):.3f}")
assert(tree.allclose(ours, whole, atol=1e-4), "the sharded optimiser takes other steps")
