# Batch norm on several devices. If each device normalises by the mean and variance of its own few rows, the network
# differs from that on one device. Synchronised batch norm averages them by pmean, which sends a few numbers for each
# layer. The network is then the same, and so are its derivatives, since the cotangents of a pmean are sent too.

fn norm(x, average) {
    let m = average(mean(x, axis=0))
    let v = average(mean((x - m) ** 2, axis=0))
    (x - m) * rsqrt(v + 1e-5)
}
fn local_mean(a) = a
fn global_mean(a) = pmean(a, "batch")

fn network(p, x, average) = norm(tanh(norm(x @ p.first, average)) @ p.second, average)
fn loss(p, x, y, average) = mean((network(p, x, average) - y) ** 2)

let (k1, k2, kx, ky) = random.split(random.key(0), 4)
let p = {first: random.normal(k1, (6, 16)), second: random.normal(k2, (16, 3)) / 4}
let x = random.normal(kx, (32, 6)) + linspace(-2.0, 2.0, 32)[:, none]  # all shards differ
let y = random.normal(ky, (32, 3))

## Eight shards of four rows: the means over the shards of the loss and of its derivatives.
fn on_shards(average) {
    let part = fn(p, x, y) = pmean(value_and_grad(loss)(p, x, y, average), "batch")
    let run =
        pmap(part, axis_name="batch", in_axes=(none, 0, 0), out_axes=none, axis_size=8, tiled=true)
    run(p, x, y)
}

let (value, slope) = value_and_grad(loss)(p, x, y, local_mean)
print("one device: loss {value:.4f}")
for (name, average) in {own: local_mean, synced: global_mean} {
    let (v, s) = on_shards(average)
    print("eight, {name} means: loss {v:.4f}, the same derivatives: {tree.allclose(s, slope, atol=1e-5)}")
}
assert(
    tree.allclose(on_shards(global_mean), (value, slope), atol=1e-5),
    "synchronised, the network differs",
)

# nn.batch_norm does the same if it gets the axis name; it also scales, shifts, and keeps running means.
let (params, state) = nn.batch_norm_init(6)
let batch_norm = fn(x) = nn.batch_norm(params, state, x, axis_name="batch")
let run = pmap(batch_norm, axis_name="batch", out_axes=(0, none), axis_size=8, tiled=true)
let (normed, _) = run(x)
assert(allclose(normed, norm(x, local_mean), atol=1e-5), "nn.batch_norm differs")
