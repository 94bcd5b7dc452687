# Kalman filter: a point moves with nearly constant speed and is measured with noise. The `for` over the measurements
# carries mean and covariance. The filter is an ordinary function, so grad can estimate the noise of the measurements.

let dt = 0.1
let motion = [[1.0, dt], [0.0, 1.0]]  # position and speed
let see = [[1.0, 0.0]]                # only the position is seen
let drift = 0.05 * [[dt ** 3 / 3, dt ** 2 / 2], [dt ** 2 / 2, dt]]

## Means of position and speed after each measurement f32[n, 2], and the log-likelihood of all measurements.
fn filter(seen, variance) {
    mut mean = zeros(2)
    mut cov = eye(2)
    mut likelihood = 0.0
    mut track = zeros((len(seen), 2))
    for (i, z) in enumerate(seen) {
        mean = motion @ mean
        cov = motion @ cov @ motion.T + drift
        let surprise = z - (see @ mean)[0]
        let s = (see @ cov @ see.T)[0, 0] + variance
        let gain = (cov @ see.T)[:, 0] / s
        mean = mean + gain * surprise
        cov = cov - outer(gain, (see @ cov)[0])
        likelihood += stats.norm_logpdf(surprise, scale=sqrt(s))
        track[i] = mean
    }
    (track, likelihood)
}

let n = 300
let (k_push, k_noise) = random.split(random.key(3))
let speed = 1 + cumsum(sqrt(0.05 * dt) * random.normal(k_push, (n,)))
let position = cumsum(speed * dt)
let seen = position + 0.5 * random.normal(k_noise, (n,))

fn wrong(a, b) = sqrt(mean((a - b) ** 2))
let (track, _) = filter(seen, 0.25)
print("error of the measurements {wrong(seen, position):.3f}, of the filter {wrong(track[:, 0], position):.3f}")
print("error of the speed {wrong(track[50:, 1], speed[50:]):.3f}")

# If the noise is unknown: maximise the likelihood, with the gradient through the whole filter.
fn loss(log_sigma) = -filter(seen, exp(2 * log_sigma))[1] / n
mut log_sigma = 0.0
for _ in 0..60 { log_sigma -= 0.3 * grad(loss)(log_sigma) }
print("sigma from the data {exp(log_sigma):.2f}, the true one 0.50")
