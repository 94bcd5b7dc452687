# Parallel tempering: a Markov chain that cannot leave a mode, and seven hotter chains that help it. Chain i samples from the
# density to the power beta_i: the hotter, the flatter. After every move neighbours propose to exchange their states, with pshuffle.
# Both accept or neither does: they draw from the same key and compute the same number. In mcmc.pm the chains are independent.

let n = 8
let betas = geomspace(1.0, 0.01, n)

## Seven tenths of the mass are around -4, three tenths around 4, and nothing is between.
fn log_density(x) =
    logsumexp([log(0.7) - 0.5 * ((x + 4) / 0.5) ** 2, log(0.3) - 0.5 * ((x - 4) / 0.5) ** 2])

fn move(key, x, beta) {
    let (k_move, k_choice) = random.split(key)
    let next = x + random.normal(k_move) / sqrt(beta)
    where(log(random.uniform(k_choice)) < beta * (log_density(next) - log_density(x)), next, x)
}

## partner[i] is the chain that chain i exchanges with, perhaps itself.
fn exchange(key, x, beta, partner) {
    let (other, other_beta) = pshuffle((x, beta), "chains", partner)
    let pair = min((axis_index("chains"), array(partner)[axis_index("chains")]))
    let odds = (beta - other_beta) * (log_density(other) - log_density(x))
    where(log(random.uniform(random.fold_in(key, pair))) < odds, other, x)
}

## The states of one chain: f32[iterations].
fn chain(key, x, beta, iterations, help) {
    mut x = x
    mut history = zeros(iterations)
    for t in 0..iterations {
        let (k_move, k_even, k_odd) = random.split(random.fold_in(key, t), 3)
        x = move(random.fold_in(k_move, axis_index("chains")), x, beta)
        if help {
            x = exchange(k_even, x, beta, (1, 0, 3, 2, 5, 4, 7, 6))
            x = exchange(k_odd, x, beta, (0, 2, 1, 4, 3, 6, 5, 7))
        }
        history[t] = x
    }
    history
}

let (key, start, iterations) = (random.key(0), full(n, -4.0), 2000)
for (name, help) in {alone: false, helped: true} {
    let history =
        pmap(fn(x, beta) = chain(key, x, beta, iterations, help), axis_name="chains")(start, betas)
    let right = mean(history > 0, axis=1)
    print("{name}: part of the time at the right, cold to hot {right:.2f}")
    if help { assert(abs(right[0] - 0.3) < 0.1, "the cold chain has missed a mode") }
}

# The exchanges depend on keys, not on timing: on one device or eight, every chain has the same states.
fn some(map) = map(fn(x, beta) = chain(key, x, beta, 100, true), axis_name="chains")(start, betas)
print("the same bits in a vmap: {array_equal(some(pmap), some(vmap))}")
