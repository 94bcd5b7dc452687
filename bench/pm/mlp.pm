import "timing.pm" as timing
fn loss_fn(params, x, y) = mean(nn.cross_entropy(nn.mlp(params, x), y))
let (k, kx, ky) = random.split(random.key(0), 3)
let params = nn.mlp_init(k, (64, 128, 10))
let x = random.uniform(kx, (64, 64))
let y = random.randint(ky, (64,), 0, 10)
timing.first_and_later(
    "value_and_grad of the digits MLP",
    fn() = value_and_grad(loss_fn)(params, x, y),
    200,
)
