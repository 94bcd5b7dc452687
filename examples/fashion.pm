# Fashion-MNIST: 60 000 pictures of clothes, 28x28, ten classes; an MLP 784-256-128-10 with batches split over the
# devices. The data is Debian's package dataset-fashion-mnist. For another folder: pm run examples/fashion.pm FOLDER

let folder = if len(args) > 0 { args[0] } else { "/usr/share/datasets/fashion-mnist" }

fn loss_fn(params, x, y) =
    mean(nn.cross_entropy(nn.mlp(params, f32(x).reshape(len(x), -1) / 255), y))

let adam = optim.adam(0.001)
let batch = 256

## One epoch on one device: images u8[steps, batch / devices, 28, 28].
fn train_epoch(params, state, images, labels) {
    mut params = params
    mut state = state
    mut total = 0.0
    for (x, y) in zip(images, labels) {
        let (loss, grads) = value_and_grad(loss_fn)(params, x, i32(y))
        (params, state) = adam.update(params, state, pmean(grads, "batch"))
        total += loss
    }
    (params, state, pmean(total / len(images), "batch"))
}
let on_devices = pmap(train_epoch, axis_name="batch", in_axes=(none, none, 0, 0), out_axes=none)

fn accuracy(params, images, labels) =
    metrics.accuracy(nn.mlp(params, f32(images).reshape(len(images), -1) / 255), i32(labels))

fn train(epochs) {
    let read = fn(name) = load_idx("{folder}/{name}-ubyte.gz")
    let (images, labels) = (read("train-images-idx3"), read("train-labels-idx1"))
    let (test_images, test_labels) = (read("t10k-images-idx3"), read("t10k-labels-idx1"))
    let (n, devices) = (len(images), device_count())
    let steps = n // batch
    let (k_init, k_epochs) = random.split(random.key(0))
    mut params = nn.mlp_init(k_init, (784, 256, 128, 10))
    mut state = adam.init(params)
    mut loss = 0.0
    for epoch in progress(0..epochs, label="fashion") {
        let order = random.permutation(random.fold_in(k_epochs, epoch), n)[:steps * batch]
        let order = order.reshape(steps, devices, batch // devices).swapaxes(0, 1)
        (params, state, loss) = on_devices(params, state, images[order], labels[order])
        print("epoch {epoch + 1}/{epochs}  loss {loss:.4f}  test accuracy {100 * accuracy(params, test_images, test_labels):.2f} %")
    }
    print("at least 87 %: {accuracy(params, test_images, test_labels) >= 0.87}")
}

if file_exists("{folder}/train-images-idx3-ubyte.gz") {
    train(10)
} else {
    print("no data in {folder}: Debian's package dataset-fashion-mnist brings it (or give its folder as an argument)")
}
