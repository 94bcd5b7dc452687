import "timing.pm" as timing
fn loss_fn(params, x, y) = mean(nn.cross_entropy(nn.mlp(params, x), y))
fn step(params, x, y) {
    let (loss, grads) = value_and_grad(loss_fn)(params, x, y)
    (tree_map(fn(p, g) = p - 0.1 * pmean(g, "batch"), params, grads), pmean(loss, "batch"))
}
let (k, kx, ky) = random.split(random.key(0), 3)
let params = nn.mlp_init(k, (64, 128, 10))
let x = random.uniform(kx, (2, 32, 64))
let y = random.randint(ky, (2, 32), 0, 10)
let on_devices = pmap(step, axis_name="batch", in_axes=(none, 0, 0), out_axes=none)
timing.first_and_later("pmapped step of the digits MLP, 2 devices", fn() = on_devices(params, x, y), 200)
