# Gravity between 64 bodies: all pairs at once by broadcasting, leapfrog steps that keep the energy, and the bodies spread over the
# devices: each moves its own and gathers where the others are.

let n = 64
let softening = 0.05

## Accelerations of `some` bodies by all: f32[m, 3], f32[n, 3], f32[n] -> f32[m, 3].
fn pull(some, all, mass) {
    let d = all[none] - some[:, none]
    let r2 = sum(d * d, axis=-1) + softening ** 2
    sum(mass[none, :, none] * d / (r2 * sqrt(r2))[..., none], axis=1)
}

fn steps(x, v, mass, dt, count) {
    mut x = x
    mut v = v
    mut a = pull(x, all_gather(x, "bodies", tiled=true), mass)
    for _ in 0..count {
        v += 0.5 * dt * a
        x += dt * v
        a = pull(x, all_gather(x, "bodies", tiled=true), mass)
        v += 0.5 * dt * a
    }
    (x, v)
}
let run = pmap(steps, axis_name="bodies", in_axes=(0, 0, none, none, none), axis_size=4, tiled=true)

fn energy(x, v, mass) {
    let d = x[:, none] - x[none]
    let r = sqrt(sum(d * d, axis=-1) + softening ** 2)
    let pairs = mass[:, none] * mass[none] / r
    0.5 * sum(mass * sum(v * v, axis=1)) - 0.5 * (sum(pairs) - trace(pairs))
}

let (k_place, k_speed) = random.split(random.key(1))
let mass = full(n, 1 / n)
mut x = random.normal(k_place, (n, 3))
mut v = 0.3 * random.normal(k_speed, (n, 3))
v -= mean(v, axis=0)

let before = energy(x, v, mass)
mut path = ()
for iteration in 0..10 {
    (x, v) = run(x, v, mass, 0.01, 50)
    path += (sqrt(mean(sum(x * x, axis=1))),)
}
print("size of the cloud over time: {array(path):.2f}")
print("energy {before:.4f} -> {energy(x, v, mass):.4f}")
print("the centre stays: {allclose(mean(v, axis=0), 0, atol=1e-5)}")
