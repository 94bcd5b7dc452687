# Markov chains: random-walk Metropolis samples from a density known only up to a factor. The program is written for one chain, a loop.
# pmap runs 400, each device its share as one vectorised program. Each chain has its own key: the device count changes no result.

## A curved ridge: x normal with deviation 1.5, y around x^2 / 2.
fn log_density(p) {
    let (x, y) = p
    -0.5 * (x / 1.5) ** 2 - 0.5 * ((y - 0.5 * x ** 2) / 0.5) ** 2
}

## `steps` moves of one chain: its last state, the mean of its states, and the fraction of accepted moves.
fn chain(key, start, steps, width) {
    mut at = start
    mut sums = zeros(2)
    mut taken = 0
    for i in 0..steps {
        let (k_move, k_choice) = random.split(random.fold_in(key, i))
        let next = at + width * random.normal(k_move, (2,))
        let accept = log(random.uniform(k_choice)) < log_density(next) - log_density(at)
        at = where(accept, next, at)
        sums += at
        taken += i32(accept)
    }
    (at, sums / steps, taken / steps)
}

let chains = 400
let keys = random.split(random.key(5), chains)
let starts = 3 * random.normal(random.key(6), (chains, 2))
let many = pmap(chain, in_axes=(0, 0, none, none))

let (warm, _, _) = many(keys, starts, 200, 0.8)
let again = vmap(fn(k) = random.fold_in(k, 1))(keys)
let (_, means, taken) = many(again, warm, 1000, 0.8)

let m = mean(means, axis=0)
let error = std(means, axis=0) / sqrt(f32(chains))
print("moves taken: {100 * mean(taken):.0f} %")
print("mean of x {m[0]:.2f} +- {error[0]:.2f}, exactly 0")
print("mean of y {m[1]:.2f} +- {error[1]:.2f}, exactly {0.5 * 1.5 ** 2:.3f}")
assert(all(abs(m - [0.0, 1.125]) < 4 * error), "the chains have not found the density")
