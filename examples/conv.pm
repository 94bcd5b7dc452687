# A small convolutional network on the handwritten digits: two convolutions and one dense layer, 1536 images for
# training. The batch of each step is split over the devices.

let table = random.permutation(random.key(0), read_csv("examples/data/digits.csv.gz", header=false))
let images = table[:, :64].reshape(-1, 8, 8, 1) / 16
let labels = i32(table[:, 64])
let (n_train, batch, steps) = (1536, 128, 60)

fn start(key) {
    let (k1, k2, k3) = random.split(key, 3)
    {
        c1: nn.he_normal(k1, (3, 3, 1, 8)),
        c2: nn.he_normal(k2, (3, 3, 8, 16)),
        out: nn.dense_init(k3, 64, 10),
    }
}
fn net(p, x) {
    let x = nn.max_pool(nn.relu(nn.conv2d(x, p.c1)))  # 8x8 -> 4x4
    let x = nn.max_pool(nn.relu(nn.conv2d(x, p.c2)))  # 4x4 -> 2x2
    nn.dense(p.out, x.reshape(len(x), 64))
}
fn loss(p, x, y) = mean(nn.cross_entropy(net(p, x), y))

let adam = optim.adam(0.01)
fn step(p, state, x, y) {
    let (value, grads) = value_and_grad(loss)(p, x, y)
    let (p, state) = adam.update(p, state, pmean(grads, "batch"))
    (p, state, pmean(value, "batch"))
}
let on_devices = pmap(
    step,
    axis_name="batch",
    in_axes=(none, none, 0, 0),
    out_axes=none,
    axis_size=4,
    tiled=true,
)

mut p = start(random.key(1))
mut state = adam.init(p)
for i in 0..steps {
    let at = i * batch % n_train
    mut value = 0.0
    (p, state, value) = on_devices(p, state, images[at:+batch], labels[at:+batch])
    if (i + 1) % 20 == 0 { print("step {i + 1}: loss {value:.2f}") }
}
print("test accuracy {100 * metrics.accuracy(net(p, images[n_train:]), labels[n_train:]):.0f} %")
