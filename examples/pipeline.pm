# A pipeline: a network too deep for one device. Each device holds one stage, and a batch is cut into micro-batches: while the second
# stage processes the first micro-batch, the first stage processes the second (GPipe; Huang et al. 2019). ppermute sends each
# result to the next stage. The derivative is the pipeline in reverse: grad reverses the direction of every message.

let (stages, micro, rows, width) = (4, 8, 4, 16)  # `micro` micro-batches of `rows` rows
let onward = ((i, i + 1) for i in tuple(0..stages - 1))

fn stage({w, b}, x) = x + tanh(x @ w + b)

## One device, with its stage p: f32[micro, rows, width] -> the outputs of this stage in the last `micro` iterations, in
## the same shape. On the last device they are the outputs of the network for x.
fn pipeline(p, x) {
    let me = axis_index("stages")
    mut received = zeros_like(x[0])  # by the previous device
    mut out = zeros_like(x)
    for t in 0..micro + stages - 1 {
        let done = stage(p, if me == 0 { x[min((t, micro - 1))] } else { received })
        received = ppermute(done, "stages", onward)
        let ready = t - (stages - 1)  # the micro-batch that leaves the last stage
        if ready >= 0 { out[ready] = done }
    }
    out
}

## The loss on the last device, 0 on the others. The others get their gradients through the messages alone.
fn loss_here(p, x, y) {
    let loss = mean((pipeline(p, x) - y) ** 2)
    where(axis_index("stages") == stages - 1, loss, 0.0)
}

fn train(p, x, y, steps) {
    mut p = p
    mut value = 0.0
    for _ in 0..steps {
        let (v, grads) = value_and_grad(loss_here)(p, x, y)
        p = tree.add_scaled(p, -0.5, grads)
        value = psum(v, "stages")
    }
    (p, value)
}
let on_devices = pmap(train, axis_name="stages", in_axes=(0, none, none, none), out_axes=(0, none))

## The whole network on one device.
fn train_alone(p, x, y, steps) {
    fn network(p) {
        mut x = x
        for s in 0..stages { x = stage(tree_map(fn(leaf) = leaf[s], p), x) }
        x
    }
    mut p = p
    for _ in 0..steps { p = tree.add_scaled(p, -0.5, grad(fn(p) = mean((network(p) - y) ** 2))(p)) }
    p
}

let (kw, kx) = random.split(random.key(0))
let p = {w: random.normal(kw, (stages, width, width)) / 4, b: zeros((stages, width))}
let x = random.normal(kx, (micro, rows, width))
let y = flip(x, axis=-1)
for steps in (1, 10, 100) {
    let (trained, value) = on_devices(p, x, y, steps)
    assert(
        tree.allclose(trained, train_alone(p, x, y, steps), atol=1e-4),
        "the pipeline learns something else",
    )
    print("step {steps:3}: loss {value:.4f}")
}
print("{micro} micro-batches in {micro + stages - 1} turns: a device works in {100 * micro / (micro + stages - 1):.0f} % of them")
