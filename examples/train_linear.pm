# A whole training loop: parameters replicated on every device, data sharded, gradients averaged, the learning rate a constant.

fn linear((w, b), x) = x @ w + b
fn mse(params, x, y) = mean((linear(params, x) - y) ** 2)

fn train_step(params, x, y, lr) {
    let (loss, grads) = value_and_grad(mse)(params, x, y)
    let grads = pmean(grads, "batch")
    (tree_map(fn(p, g) = p - lr * g, params, grads), pmean(loss, "batch"))
}

let n = device_count()
let (kw, kx, kn) = random.split(random.key(0), 3)
let true_w = random.normal(kw, (5,))
let true_b = 0.5
let x = random.normal(kx, (n, 100, 5))
let y = x @ true_w + true_b + 0.1 * random.normal(kn, (n, 100))

let replicate = pmap(fn(t) = t, in_axes=none, out_axes=0, axis_size=n)
let step = pmap(
    train_step,
    axis_name="batch",
    in_axes=(0, 0, 0, none),
    out_axes=0,
    static_broadcasted_argnums=(3,),
)

mut params = replicate((zeros(5), 0.0))
mut loss = zeros(n)
for epoch in 0..50 {
    (params, loss) = step(params, x, y, 0.05)
    if (epoch + 1) % 10 == 0 { print("epoch {epoch + 1:2}/50  loss {loss[0]:.4f}") }
}

let (w, b) = params
print("equal on every device: {all(vmap(fn(row) = allclose(row, w[0]))(w)) and allclose(b, b[0])}")

for _ in 0..150 { (params, loss) = step(params, x, y, 0.05) }
let (w, b) = params
print("after 200 epochs w and b are within 0.05: {allclose(w[0], true_w, atol=0.05, rtol=0)} {allclose(b[0], true_b, atol=0.05, rtol=0)}")
