# A neural ODE: a small network computes the velocity of a point, ode.rk4 integrates it, and grad differentiates the
# solver. The network learns the whole motion from noisy samples of a spiral.

let times = linspace(0.0, 4.0, 21)
fn spiral(t) = exp(-0.25 * t)[:, none] * stack((cos(2 * t), sin(2 * t)), axis=1)

let (k_noise, k_net) = random.split(random.key(0))
let seen = spiral(times) + 0.02 * random.normal(k_noise, (21, 2))

fn speed(y, t, params) = nn.mlp(params, y, activation=tanh)
fn follow(params, start) = ode.rk4(speed, start, times, 2, params)
fn loss(params) = mean((follow(params, [1.0, 0.0]) - seen) ** 2)

let adam = optim.adam(0.02)
fn train(params, state, steps) {
    mut params = params
    mut state = state
    for _ in 0..steps { (params, state) = adam.update(params, state, grad(loss)(params)) }
    (params, state)
}

mut params = nn.mlp_init(k_net, (2, 32, 2), init=nn.glorot_normal)
mut state = adam.init(params)
for round in 0..4 {
    (params, state) = train(params, state, 50)
    print("{(round + 1) * 50:3} steps: loss {loss(params):.4f}")
}

let found = follow(params, [1.0, 0.0])
print("off the true spiral by at most {max(abs(found - spiral(times))):.2f}")
plot(
    (seen[:, 0], seen[:, 1]),
    (found[:, 0], found[:, 1]),
    file="spiral.svg",
    title="neural ODE",
    labels=("seen", "followed"),
)
