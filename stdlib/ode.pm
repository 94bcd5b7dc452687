# Ordinary differential equations dy/dt = f(y, t, ...args), y an array or a tree.

fn _step(y, h, slope) = tree_map(fn(a, k) = a + h * k, y, slope)

## ode.rk4_step(f, y, t, h, *args): y at t + h by the classical Runge-Kutta method.
fn rk4_step(f, y, t, h, *args) {
    let k1 = f(y, t, *args)
    let k2 = f(_step(y, h / 2, k1), t + h / 2, *args)
    let k3 = f(_step(y, h / 2, k2), t + h / 2, *args)
    let k4 = f(_step(y, h, k3), t + h, *args)
    tree_map(fn(a, p, q, r, s) = a + h / 6 * (p + 2 * q + 2 * r + s), y, k1, k2, k3, k4)
}

## ode.rk4(f, y0, t, steps, *args): y at each of the times t f[n], with `steps` equal steps between two of them; leaves f[n, ...].
## Works in compiled code and both modes of differentiation.
fn rk4(f, y0, t, steps, *args) {
    let walk = fn(y, ends) {
        let h = (ends[1] - ends[0]) / steps
        mut x = y
        for i in 0.._known(steps) { x = rk4_step(f, x, ends[0] + i * h, h, *args) }
        (x, x)
    }
    let (_, rest) = scan(walk, y0, stack((t[:-1], t[1:]), axis=1))
    tree_map(fn(a, b) = concatenate((array(a)[none], b)), y0, rest)
}

## ode.odeint(f, y0, t, rtol=1.4e-6, atol=1.4e-6, most=10000): y f[...] at each of the times t f[n] -> f[n, ...], by the method of Dormand and Prince
## whose steps keep the error of each below atol + rtol |y|; `most` bounds the steps between two times.
fn odeint(f, y0, t, rtol=1.4e-6, atol=1.4e-6, most=10000) {
    let y0 = array(y0)
    let walk = fn(carry, ends) {
        let (y, h) = carry
        let (x, last) = _adaptive(f, y, ends[0], ends[1], h, rtol, atol, most)
        ((x, last), x)
    }
    let first = (t[1] - t[0]) / 10
    let (_, rest) = scan(walk, (y0, first), stack((t[:-1], t[1:]), axis=1))
    concatenate((y0[none], rest))
}

fn _adaptive(f, y0, start, end, first, rtol, atol, most) {
    let way = end - start
    mut y = y0
    mut t = start
    mut h = where(way < 0, -abs(first), abs(first))
    mut used = h
    mut n = 0
    while (end - t) * way > 0 and n < most {
        let last = abs(h) >= abs(end - t)
        let step = where(last, end - t, h)
        let (next, error) = _dopri5(f, y, t, step)
        let size = sqrt(mean((error / (atol + rtol * maximum(abs(y), abs(next)))) ** 2))
        let factor = clip(0.9 * where(size == 0, 1.0, size) ** -0.2, 0.2, 10.0)
        let good = size <= 1
        y = where(good, next, y)
        t = where(good, where(last, end, t + step), t)
        used = where(good and not last, step, used)
        h = step * where(size == 0, 10.0, factor)
        n += 1
    }
    (y, used)
}

## One step of order 5 and the difference to that of order 4 (Dormand and Prince 1980).
fn _dopri5(f, y, t, h) {
    let k1 = f(y, t)
    let k2 = f(y + h * (k1 / 5), t + h / 5)
    let k3 = f(y + h * (3 / 40 * k1 + 9 / 40 * k2), t + 3 / 10 * h)
    let k4 = f(y + h * (44 / 45 * k1 - 56 / 15 * k2 + 32 / 9 * k3), t + 4 / 5 * h)
    let k5 = f(
        y + h * (19372 / 6561 * k1 - 25360 / 2187 * k2 + 64448 / 6561 * k3 - 212 / 729 * k4),
        t + 8 / 9 * h,
    )
    let k6 = f(
        y +
            h * (
                9017 / 3168 * k1 -
                355 / 33 * k2 +
                46732 / 5247 * k3 +
                49 / 176 * k4 -
                5103 / 18656 * k5
            ),
        t + h,
    )
    let next =
        y + h * (35 / 384 * k1 + 500 / 1113 * k3 + 125 / 192 * k4 - 2187 / 6784 * k5 + 11 / 84 * k6)
    let k7 = f(next, t + h)
    (
        next,
        h * (
            71 / 57600 * k1 -
            71 / 16695 * k3 +
            71 / 1920 * k4 -
            17253 / 339200 * k5 +
            22 / 525 * k6 -
            1 / 40 * k7
        ),
    )
}

test "a pendulum swings as cos and sin" {
    let t = linspace(0.0, 6.0, 13)
    let swing = fn(y, t) = [y[1], -y[0]]
    let y = odeint(swing, [1.0, 0.0], t)
    assert(allclose(y[:, 0], cos(t), atol=1e-4) and allclose(y[:, 1], -sin(t), atol=1e-4))
    let z = rk4(swing, [1.0, 0.0], t, 20)
    assert(allclose(z, y, atol=1e-4))
}

test "trees, arguments and derivatives" {
    let decay = fn(y, t, rate) = {a: -rate * y.a}
    let end = fn(rate) = rk4(decay, {a: 1.0 * ones(())}, [0.0, 1.0], 20, rate).a[-1]
    assert(allclose(end(2.0), exp(-2.0), rtol=1e-4))
    assert(allclose(grad(end)(2.0), -exp(-2.0), rtol=1e-3))
}
