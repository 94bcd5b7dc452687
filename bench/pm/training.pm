# A step of data-parallel training: the batch over the devices, gradients averaged.
import "timing.pm" as timing

fn loss_fn(params, x, y) = mean(nn.cross_entropy(nn.mlp(params, x), y))

fn step(params, x, y) {
    let (loss, grads) = value_and_grad(loss_fn)(params, x, y)
    (tree_map(fn(p, g) = p - 0.1 * pmean(g, "batch"), params, grads), pmean(loss, "batch"))
}

for (name, sizes, batch, n) in (
    ("digits", (64, 128, 10), 64, 200),
    ("Fashion-MNIST", (784, 256, 128, 10), 256, 50),
) {
    let (k, kx, ky) = random.split(random.key(0), 3)
    let params = nn.mlp_init(k, sizes)
    for devices in (2, 4, 8) {
        let x = random.uniform(kx, (devices, batch // devices, sizes[0]))
        let y = random.randint(ky, (devices, batch // devices), 0, 10)
        let on_devices = pmap(step, axis_name="batch", in_axes=(none, 0, 0), out_axes=none)
        timing.first_and_later(
            "pmapped step of the {name} MLP, {devices} devices",
            fn() = on_devices(params, x, y),
            n,
        )
    }
    let x = random.uniform(kx, (batch, sizes[0]))
    let y = random.randint(ky, (batch,), 0, 10)
    let whole = jit(fn(params, x, y) {
        let (loss, grads) = value_and_grad(loss_fn)(params, x, y)
        (tree_map(fn(p, g) = p - 0.1 * g, params, grads), loss)
    })
    timing.steady("step of the {name} MLP, the batch whole", fn() = whole(params, x, y), n)
}
