# Steps of training: the networks of examples/digits.pm and examples/fashion.pm, and a convolutional one.
import "../../pm/timing.pm" as timing
import "sizes.pm" as sizes

## Times a step of gradient descent on a loss of (params, x, y).
fn measure(name, loss_of, params, x, y) {
    let step = jit(fn(params, x, y) {
        let (loss, grads) = value_and_grad(loss_of)(params, x, y)
        (tree_map(fn(p, g) = p - 0.1 * g, params, grads), loss)
    })
    timing.first_and_later(name, fn() = step(params, x, y), 20)
}

fn mlp_loss(params, x, y) = mean(nn.cross_entropy(nn.mlp(params, x), y))

fn conv_loss(p, x, y) {
    let x = nn.max_pool(nn.relu(nn.conv2d(x, p.c1)))  # 28x28 -> 14x14
    let x = nn.max_pool(nn.relu(nn.conv2d(x, p.c2)))  # 14x14 -> 7x7
    mean(nn.cross_entropy(nn.dense(p.out, x.reshape(len(x), -1)), y))
}

let (k, kx, ky) = random.split(random.key(0), 3)
for (name, widths, batch) in (
    ("digits", (64, 128, 10), sizes.scaled(64, 4)),
    ("Fashion-MNIST", (784, 256, 128, 10), sizes.scaled(256, 4)),
) {
    let x = random.uniform(kx, (batch, widths[0]))
    let y = random.randint(ky, (batch,), 0, 10)
    let params = nn.mlp_init(k, widths)
    measure("step of the {name} MLP, batch {batch}", mlp_loss, params, x, y)
}

let batch = sizes.scaled(256, 2)
let (features, more) = (sizes.scaled(32, 4), sizes.scaled(64, 4))
let (k1, k2, k3) = random.split(k, 3)
let params = {
    c1: nn.he_normal(k1, (3, 3, 1, features)),
    c2: nn.he_normal(k2, (3, 3, features, more)),
    out: nn.dense_init(k3, 7 * 7 * more, 10),
}
let x = random.uniform(kx, (batch, 28, 28, 1))
let y = random.randint(ky, (batch,), 0, 10)
measure(
    "step of a conv net, {batch} pictures of 28 x 28, {features} and {more} features",
    conv_loss,
    params,
    x,
    y,
)
