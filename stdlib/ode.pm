# Solvers of ordinary differential equations dy/dt = f(y, t, ...args), where y is an array or a tree.

fn _step(y, h, slope) = tree_map(fn(a, k) = a + h * k, y, slope)

## ode.rk4_step(f, y, t, h, *args): The value of y at t + h by one step of the classical Runge-Kutta method.
fn rk4_step(f, y, t, h, *args) {
    let k1 = f(y, t, *args)
    let k2 = f(_step(y, h / 2, k1), t + h / 2, *args)
    let k3 = f(_step(y, h / 2, k2), t + h / 2, *args)
    let k4 = f(_step(y, h, k3), t + h, *args)
    tree_map(fn(a, p, q, r, s) = a + h / 6 * (p + 2 * q + 2 * r + s), y, k1, k2, k3, k4)
}

## The times f[n] of a solution as floats, n at least 1.
fn _times(t, what) {
    let t = _inexact(_of_rank(t, 1, what, "times t f[n]"))
    if len(t) == 0 { _refuse("`{what}` needs one time at least: the first is that of y0") }
    t
}

## ode.rk4(f, y0, t, steps, *args): The values of y at the times t f[n] by the classical Runge-Kutta method, leaves
## f[n, ...]. t[0] is the time of y0. There are `steps` equal steps between two adjacent times. The leaves keep the
## dtypes of y0. It works in compiled code and in forward and reverse mode.
fn rk4(f, y0, t, steps, *args) {
    let t = _times(t, "ode.rk4")
    let steps = _count(steps, "the `steps` of `ode.rk4`", least=1)
    let y0 = tree_map(fn(y) = _inexact(array(y)), y0)
    let walk = fn(y, ends) {
        let h = (ends[1] - ends[0]) / steps
        mut x = y
        for i in 0..steps { x = _as(rk4_step(f, x, ends[0] + i * h, h, *args), x) }
        (x, x)
    }
    let (_, rest) = scan(walk, y0, stack((t[:-1], t[1:]), axis=1))
    tree_map(fn(a, b) = concatenate((a[none], b)), y0, rest)
}
fn _as(y, like) = tree_map(fn(a, b) = a.astype(b.dtype), y, like)

## ode.odeint(f, y0, t, args=(), rtol=1.4e-6, atol=1.4e-6, most=10000): The values of y at the times t f[n], which rise
## or fall, leaves f[n, ...]. t[0] is the time of y0. The leaves keep the dtypes of y0. The method is that of Dormand
## and Prince (1980). The root mean square of a step's errors, each divided by atol + rtol |y|, is at most 1. Step sizes
## follow Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I, II.4. If `most` steps, rejected ones
## included, do not reach the next time, y is NaN from that time on. It works in compiled code, under vmap, and in
## forward and reverse mode. Derivatives are those of the computed steps. Reverse mode records each step, so for many
## steps rk4 needs less memory.
fn odeint(f, y0, t, args=(), rtol=1.4e-6, atol=1.4e-6, most=10000) {
    let t = _times(t, "ode.odeint")
    assert(rtol >= 0 and atol >= 0, "the `rtol` and `atol` of `ode.odeint` must not be below 0")
    let most = _count(most, "the `most` of `ode.odeint`", least=1)
    let y0 = tree_map(fn(y) = _inexact(array(y)), y0)
    _slopes_fit(y0, f(y0, t[0], *args))
    let (flat, back) = tree.ravel(y0)
    let dtype = result_type(_wide(flat), _wide(t))
    let slope = fn(y, t) = tree.ravel(f(back(y), t, *args))[0].astype(dtype)
    let (start, t) = (flat.astype(dtype), t.astype(dtype))
    let allowed = fn(a, b) = atol + rtol * maximum(abs(a), abs(b))
    let walk = fn(carry, ends) {
        let next = _adaptive(slope, carry, ends[0], ends[1], allowed, most)
        (next, next[0])
    }
    let k = slope(start, t[0])
    let first = _first_step(slope, start, t[0], k, allowed)
    let (_, rest) = scan(walk, (start, k, first), stack((t[:-1], t[1:]), axis=1))
    vmap(back)(concatenate((start[none], rest)))
}
fn _slopes_fit(y, k) {
    let like = kind(k) == kind(y) or (_is_numeric(k) and _is_numeric(y))
    let (ys, ks) = (tree_leaves(y), tree_leaves(k))
    mut fits = like and len(ys) == len(ks)
    if fits {
        for (a, b) in zip(ys, ks) { fits = fits and _is_numeric(b) and array(b).shape == a.shape }
    }
    if not fits {
        _refuse("`ode.odeint` needs a function f(y, t) whose result is like y, {_type(y)}, got {_type(k)}")
    }
}

# The root mean square. For zeros it is 0, with derivatives 0 of every order.
fn _rms(x) {
    let s = mean(x * x)
    where(s == 0, 0, sqrt(where(s == 0, 1, s)))
}

## The first step size: a step that changes y by about 1 % of its size, smaller if the slope changes fast.
fn _first_step(f, y, t, k, allowed) {
    let size = allowed(y, y)
    let (d0, d1) = (_rms(y / size), _rms(k / size))
    let small = d0 < 1e-5 or d1 < 1e-5
    let h0 = where(small, 1e-6, 0.01 * d0 / where(small, 1.0, d1)).astype(y.dtype)
    let d2 = _rms((f(y + h0 * k, t + h0) - k) / size) / h0
    let top = maximum(d1, d2)
    let flat = top <= 1e-15
    let h1 = where(flat, maximum(1e-6, h0 * 1e-3), (0.01 / where(flat, 1.0, top)) ** 0.2)
    minimum(100 * h0, h1).astype(y.dtype)
}

## Integrates from `start` to `end`. carry: y, its slope, and the first step size.
fn _adaptive(f, carry, start, end, allowed, most) {
    let (y0, k0, first) = carry
    let way = end - start
    mut (y, k, t, h) = (y0, k0, start, first)
    mut n = 0
    while (end - t) * way > 0 and n < most {
        let last = h >= abs(end - t)
        let step = where(last, end - t, where(way < 0, -h, h))
        let (next, error, slope) = _dopri5(f, y, t, step, k)
        let size = _rms(error / allowed(y, next))
        let good = size <= 1
        let factor =
            where(size == 0, 10.0, clip(0.9 * where(size == 0, 1.0, size) ** -0.2, 0.2, 10.0))
        y = where(good, next, y)
        k = where(good, slope, k)
        t = where(good, where(last, end, t + step), t)
        # The last step is shortened to end at `end`: the next step size is at least the one before the shortening.
        h = where(good and last, maximum(h, abs(step) * factor), abs(step) * factor).astype(h.dtype)
        n += 1
    }
    (where((end - t) * way > 0, nan, y), k, h)
}

## One step: the result of order 5, its difference to that of order 4, and the slope at the end of the step.
fn _dopri5(f, y, t, h, k1) {
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
    let error =
        h * (
            71 / 57600 * k1 -
            71 / 16695 * k3 +
            71 / 1920 * k4 -
            17253 / 339200 * k5 +
            22 / 525 * k6 -
            1 / 40 * k7
        )
    (next, error, k7)
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

test "odeint takes trees, arguments, falling and repeated times, and every dtype" {
    let t = [0.0, 0.0, 0.5, 0.5, 2.0]
    let swing = fn({q, p}, t, w) = {q: p, p: -w * w * q}
    let y = odeint(swing, {q: 1.0, p: [0.0][0]}, t, args=(2.0,))
    assert(allclose(y.q, cos(2 * t), atol=1e-4) and allclose(y.p, -2 * sin(2 * t), atol=1e-4))
    let decay = fn(y, t) = -y
    assert(allclose(odeint(decay, 1.0, [0.0, -1.0, -2.0]), exp([0.0, 1.0, 2.0]), rtol=1e-4))
    assert(allclose(odeint(decay, 1, [0, 1]), [1.0, exp(-1.0)], rtol=1e-4))
    assert(odeint(decay, [1.0, 2.0], [3.0]).shape == (1, 2))
    let fine = odeint(decay, f64([1.0]), f64([0.0, 1.0]), rtol=1e-12, atol=1e-12)[-1, 0]
    assert(abs(fine - 0.36787944117144233) < 1e-11 and fine.dtype == f64)
    assert(odeint(decay, bf16([1.0]), [0.0, 1.0]).dtype == bf16)
    assert(array_equal(odeint(fn(y, t) = 0 * y, 3.0, [0.0, 5.0]), [3, 3]))
}

test "odeint under vmap and in both modes" {
    let end = fn(k) = odeint(fn(y, t) = -k * y, 1.0, [0.0, 1.0])[-1]
    assert(allclose(vmap(end)([1.0, 2.0]), exp([-1.0, -2.0]), rtol=1e-4))
    assert(allclose(jvp(end, (2.0,), (1.0,))[1], -exp(-2.0), rtol=1e-3))
    assert(allclose(vmap(grad(end))([1.0, 2.0]), -exp([-1.0, -2.0]), rtol=1e-3))
    assert(allclose(grad(fn(k) = sum(vmap(end)(k)))([1.0, 2.0]), -exp([-1.0, -2.0]), rtol=1e-3))
    let fine = fn(k) =
        odeint(fn(y, t, k) = -k * y, 1.0f64, f64([0.0, 1.0]), args=(k,), rtol=1e-10, atol=1e-10)[-1]
    assert(allclose(grad(grad(fine))(2.0f64), exp(-2.0f64), rtol=1e-6))
    assert(
        allclose(grad(fn(k) = sum(vmap(grad(end))(k)))([1.0, 2.0]), exp([-1.0, -2.0]), rtol=1e-2),
    )
    # The error of every step is 0.
    let line = fn(k) = odeint(fn(y, t) = k * k, 0.0, [0.0, 1.0])[1]
    assert(allclose(grad(grad(line))(0.5), 2.0, rtol=1e-4))
}

test "what cannot be reached is NaN" {
    let y = odeint(fn(y, t) = y * y, 1.0, [0.0, 0.5, 2.0, 3.0], most=200)
    assert(allclose(y[1], 2, rtol=1e-3) and isnan(y[2]) and isnan(y[3]))
}
