# Gradient accumulation, for a batch that does not fit into memory. The batch is split over the devices. Each device
# adds up the gradients of its share, one micro-batch after another: only one micro-batch's activations are alive at a
# time. Then follow one pmean and one step. For every split this is the step of the whole batch on one device.

let table = random.permutation(random.key(1), read_csv("examples/data/digits.csv.gz", header=false))
let (images, labels) = (table[:, :64] / 16, i32(table[:, 64]))
let (batch, micro, steps) = (256, 8, 5)
let devices = device_count()

fn loss(params, x, y) = mean(nn.cross_entropy(nn.mlp(params, x), y))
let optimiser = optim.momentum(0.2)

## One step of one device: x f32[micro-batches, micro, 64], y i32[micro-batches, micro].
fn step(params, state, x, y) {
    mut sums = (0.0, tree.zeros_like(params))
    for (xm, ym) in zip(x, y) { sums = tree.add(sums, value_and_grad(loss)(params, xm, ym)) }
    let (value, grads) = pmean(tree.scale(1 / len(x), sums), "batch")
    (optimiser.update(params, state, grads), value)
}
let on_devices = pmap(step, axis_name="batch", in_axes=(none, none, 0, 0), out_axes=none)

## The same step with the whole batch at once.
fn whole_step(params, state, x, y) = optimiser.update(params, state, grad(loss)(params, x, y))

let start = nn.mlp_init(random.key(2), (64, 48, 10))
mut ours = (start, optimiser.init(start))
mut whole = ours
mut value = 0.0
for i in 0..steps {
    let (x, y) = (images[i * batch:+batch], labels[i * batch:+batch])
    let (xs, ys) = (x.reshape(devices, -1, micro, 64), y.reshape(devices, -1, micro))
    (ours, value) = on_devices(*ours, xs, ys)
    whole = whole_step(*whole, x, y)
    print("step {i}: {devices} x {xs.shape[1]} micro-batches of {micro}, loss {value:.4f}")
    assert(tree.allclose(ours, whole, atol=1e-5), "another step than that of the whole batch")
}
print("the same parameters as by {steps} steps with the {batch} at once")
