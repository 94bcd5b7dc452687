# The Runge-Kutta method of order 4 for y'[0] = x[0], y'[i] = x[i] y[i - 1] from zero at time 0 to time 2, in s steps;
# and the gradient of the last element with respect to x, in reverse through the steps.

fn speed(x, y) = x * concatenate((ones_like(y[:1]), y[:-1]))

fn solve(x: f64[n], s) {
    let h = 2 / s
    mut y = zeros_like(x)
    for _ in 0..s {
        let k1 = speed(x, y)
        let k2 = speed(x, y + h / 2 * k1)
        let k3 = speed(x, y + h / 2 * k2)
        let k4 = speed(x, y + h * k3)
        y += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    }
    y
}

fn primal({x, s}) = solve(x, s)
fn gradient({x, s}) = grad(fn(x) = solve(x, s)[-1])(x)
