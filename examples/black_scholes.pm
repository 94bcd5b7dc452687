# Black-Scholes: the price of an option, and its Greeks as derivatives of the price by grad. vmap computes them for a
# table of strikes. Then the same price by simulation, differentiated through the simulated paths.

fn call(spot, strike, time, rate, sigma) {
    let d1 = (log(spot / strike) + (rate + sigma ** 2 / 2) * time) / (sigma * sqrt(time))
    let d2 = d1 - sigma * sqrt(time)
    spot * stats.norm_cdf(d1) - strike * exp(-rate * time) * stats.norm_cdf(d2)
}

let delta = grad(call)
let gamma = grad(delta)
let vega = grad(call, argnums=4)
let theta = fn(s, k, t, r, v) = -grad(call, argnums=2)(s, k, t, r, v)
let rho = grad(call, argnums=3)

let (spot, time, rate, sigma) = (100.0, 0.5, 0.02, 0.25)
let strikes = linspace(80.0, 120.0, 5)
fn table(f) = vmap(f, in_axes=(none, 0, none, none, none))(spot, strikes, time, rate, sigma)
print("strike    price    delta    gamma     vega    theta      rho")
let columns =
    stack((table(call), table(delta), table(gamma), table(vega), table(theta), table(rho)), axis=1)
for (k, row) in zip(strikes, columns) {
    let (price, d, g, v, t, r) = row
    print("{k:6.0f} {price:8.3f} {d:8.4f} {g:8.4f} {v:8.3f} {t:8.3f} {r:8.3f}")
}

# Implied volatility: Newton's method on the price, with vega as the slope.
fn implied(price, strike) {
    mut v = 0.5
    for _ in 0..8 {
        v -= (call(spot, strike, time, rate, v) - price) / vega(spot, strike, time, rate, v)
    }
    v
}
print("implied volatility of the prices: {vmap(implied)(table(call), strikes):.4f}")

# By simulation: the second half of the draws is the negative of the first half.
fn simulated(spot, sigma, key) {
    let z = random.normal(key, (50_000,))
    let z = concatenate((z, -z))
    let last = spot * exp((rate - sigma ** 2 / 2) * time + sigma * sqrt(time) * z)
    exp(-rate * time) * mean(maximum(last - 100.0, 0))
}
let (price, (d, v)) = value_and_grad(simulated, argnums=(0, 1))(spot, sigma, random.key(0))
print("by simulation at strike 100: price {price:.2f}, delta {d:.3f}, vega {v:.1f}")

# `pm test examples/black_scholes.pm` runs the tests below.
test "delta is the slope of the price" {
    let around = fn(s) = call(s, 100.0, time, rate, sigma)
    assert(
        allclose(
            delta(spot, 100.0, time, rate, sigma),
            around(spot + 0.5) - around(spot - 0.5),
            rtol=1e-3,
        ),
    )
}
test "theta, delta and gamma obey the equation of Black and Scholes" {
    let at = (spot, 100.0, time, rate, sigma)
    let drift = theta(*at) + rate * spot * delta(*at) + 0.5 * sigma ** 2 * spot ** 2 * gamma(*at)
    assert(allclose(drift, rate * call(*at), rtol=1e-4))
}
