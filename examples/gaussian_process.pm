# A Gaussian process: a curve with its uncertainty from 20 noisy points. Its length scale, its height and the strength
# of the noise are learnt by maximising the evidence with grad, through the Cholesky factor.

let (k_x, k_noise) = random.split(random.key(2))
let x = sort(random.uniform(k_x, (20,), minval=-3.0, maxval=3.0))
let y = sin(2 * x) + 0.1 * random.normal(k_noise, (20,))

fn kernel(p, a, b) = exp(2 * p.height) * exp(-0.5 * ((a[:, none] - b[none]) / exp(p.length)) ** 2)
fn covariance(p) = kernel(p, x, x) + exp(2 * p.noise) * eye(len(x)) + 1e-5 * eye(len(x))

## The negative logarithm of the evidence.
fn loss(p) {
    let l = linalg.cholesky(covariance(p))
    0.5 * sum(y * linalg.cho_solve(l, y)) + sum(log(diagonal(l))) + 0.5 * len(x) * log(2 * pi)
}

let adam = optim.adam(0.05)
fn climb(p, steps) {
    mut p = p
    mut state = adam.init(p)
    for _ in 0..steps { (p, state) = adam.update(p, state, grad(loss)(p)) }
    p
}

let start = {length: 0.0, height: 0.0, noise: -1.0}
let p = climb(start, 200)
print("evidence {-loss(start):.2f} -> {-loss(p):.2f}")
print("length {exp(p.length):.2f}, height {exp(p.height):.2f}, noise {exp(p.noise):.2f}")

## Mean and standard deviation of the curve at new points.
fn predict(p, at) {
    let l = linalg.cholesky(covariance(p))
    let k = kernel(p, x, at)
    let v = linalg.solve_triangular(l, k, lower=true)
    (k.T @ linalg.cho_solve(l, y), sqrt(maximum(exp(2 * p.height) - sum(v * v, axis=0), 0)))
}

let at = linspace(-4.0, 4.0, 81)
let (m, s) = predict(p, at)
for i in (10, 40, 50, 80) {
    print("at {at[i]:4.1f}: {m[i]:5.2f} +- {s[i]:.2f}, the truth {sin(2 * at[i]):5.2f}")
}
plot(
    at,
    m,
    m - 2 * s,
    m + 2 * s,
    sin(2 * at),
    file="process.svg",
    title="Gaussian process",
    labels=("mean", "- 2 s", "+ 2 s", "truth"),
)
