# Handwritten digits: an MLP 64-128-10 trained on 1437 real 8x8 images, tested on 360. Every batch of 64 is split over
# the devices, pmean averages the gradients, and one epoch is one compiled program. Writes the curves to digits.svg.

let data = read_csv("examples/data/digits.csv.gz", header=false)
let (k_split, k_init, k_epochs) = random.split(random.key(1), 3)
let data = random.permutation(k_split, data)
let n_train = 1437
let images = data[:, :64] / 16
let labels = i32(data[:, 64])
let (x, y) = (images[:n_train], labels[:n_train])
let (x_test, y_test) = (images[n_train:], labels[n_train:])

let devices = device_count()
let batch = 64
let steps = n_train // batch
let epochs = 30

fn loss_fn(params, x, y) = mean(nn.cross_entropy(nn.mlp(params, x), y))

let adam = optim.adam(0.003)

## One epoch on one device: x f32[steps, batch / devices, 64].
fn train_epoch(params, state, x, y) {
    mut params = params
    mut state = state
    mut total = 0.0
    for (xb, yb) in zip(x, y) {
        let (loss, grads) = value_and_grad(loss_fn)(params, xb, yb)
        (params, state) = adam.update(params, state, pmean(grads, "batch"))
        total += loss
    }
    (params, state, pmean(total / len(x), "batch"))
}
let on_devices = pmap(train_epoch, axis_name="batch", in_axes=(none, none, 0, 0), out_axes=none)

## The epoch's batches in the order of `key`: (devices, steps, batch / devices, ...).
fn shuffled(key, x, y) {
    let order = random.permutation(key, n_train)[:steps * batch]
        .reshape(steps, devices, batch // devices)
        .swapaxes(0, 1)
    (x[order], y[order])
}

fn accuracy(params, x, y) = metrics.accuracy(nn.mlp(params, x), y)

mut params = nn.mlp_init(k_init, (64, 128, 10))
mut state = adam.init(params)
mut losses = ()
mut accuracies = ()
for epoch in progress(0..epochs, label="digits") {
    let (xs, ys) = shuffled(random.fold_in(k_epochs, epoch), x, y)
    mut loss = 0.0
    (params, state, loss) = on_devices(params, state, xs, ys)
    let found = accuracy(params, x_test, y_test)
    losses += (loss,)
    accuracies += (found,)
    print("epoch {epoch + 1:2}/{epochs}  loss {loss:.4f}  test accuracy {100 * found:.1f} %")
}
plot(
    1 + arange(epochs),
    array(losses),
    array(accuracies),
    file="digits.svg",
    title="handwritten digits",
    xlabel="epoch",
    labels=("loss", "test accuracy"),
)
print("at least 97 %: {accuracies[-1] >= 0.97}")
