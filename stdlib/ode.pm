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
    _slopes_fit(y0, f(y0, t[0], *args), "ode.rk4")
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

## ode.odeint(f, y0, t, args=(), rtol=none, atol=none, most=10000): The values of y at the times t f[n], which rise or
## fall, leaves f[n, ...]. t[0] is the time of y0. The leaves keep the dtypes of y0. The method is that of Dormand and
## Prince (1980). The root mean square of a step's errors, each divided by atol + rtol |y|, is at most 1. If rtol or
## atol is none, it is 1.4e-8 for a solution in f64, as in JAX, and 1.4e-6 in f32, which rounding errors exceed
## otherwise. Step sizes follow Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I, II.4. If `most`
## steps, rejected ones included, do not reach the next time, y is NaN from that time on. It works in compiled code,
## under vmap, and in forward and reverse mode. Derivatives are those of the computed steps, whose sizes count as
## constants. Reverse mode records each step, so for many steps rk4 needs less memory.
fn odeint(f, y0, t, args=(), rtol=none, atol=none, most=10000) =
    _integrated(_dopri5, f, y0, t, args, (rtol, atol, most), "ode.odeint")

## ode.stiff(f, y0, t, args=(), rtol=1.4e-6, atol=1.4e-6, most=10000): The solution as by odeint, for stiff equations.
## The arguments, the result and the control of the error are those of odeint. The method is Rodas5P (Steinebach 2023,
## BIT 63:27), a linearly implicit method of order 5 with 8 stages, which is L-stable. Each step computes the jacobian
## of f by forward mode and factorizes one n by n matrix, where n is the number of elements of y. f may depend on t.
## Derivatives with respect to y0, t, args and captured values are those of the computed steps, whose sizes count as
## constants. The control of the error does not see derivatives. Where a solution changes fast, as after the jump of a
## relaxation oscillator, they may need an `rtol` of 1e-9: compare the derivatives for two values of `rtol`. A stiff
## equation cannot be solved backwards in time, so its adjoint needs the states of these steps.
## Reverse mode keeps the state of each step and computes the step again.
fn stiff(f, y0, t, args=(), rtol=1.4e-6, atol=1.4e-6, most=10000) =
    _integrated(_rodas5p_again, f, y0, t, args, (rtol, atol, most), "ode.stiff")

## ode.bdf(f, y0, t, args=(), rtol=1.4e-6, atol=1.4e-6, most=10000): The solution as by stiff, by the numerical
## differentiation formulas of orders 1 to 5 with variable steps (Shampine and Reichelt 1997, SIAM J. Sci. Comput. 18).
## The arguments and the control of the error are those of odeint. A step evaluates f some three times. The jacobian of
## f is computed again only if Newton's method fails with the last one. So bdf suits many equations, and moderate
## accuracy. Times after which the direction changes give NaN. Steps do not end at the times t but the last one. Between
## them the values are those of the polynomial of a step. Derivatives with respect to y0, t, args and captured values
## are those of the computed steps, as implicit functions. Step sizes and orders count as constants.
fn bdf(f, y0, t, args=(), rtol=1.4e-6, atol=1.4e-6, most=10000) {
    let {slope, start, t, allowed, most, back} =
        _problem(f, y0, t, args, (rtol, atol, most), "ode.bdf")
    vmap(back)(multistep.bdf(slope, start, t, allowed, rtol, most))
}

## The values of y at the times t by a one-step method. step(f, y, t, h, k) returns what _dopri5 does.
fn _integrated(step, f, y0, t, args, limits, what) {
    let {slope, start, t, allowed, most, back} = _problem(f, y0, t, args, limits, what)
    let walk = fn(carry, ends) {
        let next = _adaptive(step, slope, carry, ends[0], ends[1], allowed, most)
        (next, next[0])
    }
    let k = slope(start, t[0])
    let first = _first_step(slope, start, t[0], k, allowed, 4)
    let (_, rest) = scan(walk, (start, k, first), stack((t[:-1], t[1:]), axis=1))
    vmap(back)(concatenate((start[none], rest)))
}
## The checked problem y' = slope(y, t) of a vector y with the value `start` at t[0]. allowed(a, b) is the error that a
## step from a to b may have. back(y) is the tree of a vector.
fn _problem(f, y0, t, args, (rtol, atol, most), what) {
    let args = _more_arguments(args, what)
    let t = _times(t, what)
    let (flat, back) = tree.ravel(tree_map(fn(y) = _inexact(array(y)), y0))
    let dtype = result_type(_wide(flat), _wide(t))
    let usual = if dtype == f64 { 1.4e-8 } else { 1.4e-6 }
    let (rtol, atol) =
        (if rtol == none { usual } else { rtol }, if atol == none { usual } else { atol })
    assert(rtol >= 0 and atol >= 0, "the `rtol` and `atol` of `{what}` must not be below 0")
    let most = _limit(most, "the `most` of `{what}`", least=1)
    _slopes_fit(y0, f(back(flat), t[0], *args), what)
    {
        slope: fn(y, t) = tree.ravel(f(back(y), t, *args))[0].astype(dtype),
        start: flat.astype(dtype),
        t: t.astype(dtype),
        allowed: fn(a, b) = atol + rtol * maximum(abs(a), abs(b)),
        most: most,
        back: back,
    }
}
fn _slopes_fit(y, k, what) {
    if _difference(y, k) != none {
        _refuse("`{what}` needs a function f(y, t) whose result is like y, {_type(y)}, got {_type(k)}")
    }
}
# The root mean square. For zeros it is 0, with derivatives 0 of every order.
fn _rms(x) {
    let s = mean(x * x)
    where(s == 0, 0, sqrt(where(s == 0, 1, s)))
}

## The first step size of a method of this order, without derivatives: a step that changes y by about 1 % of its size,
## smaller if the slope changes fast.
fn _first_step(f, y, t, k, allowed, order) {
    let size = allowed(y, y)
    let (d0, d1) = (_rms(y / size), _rms(k / size))
    let small = d0 < 1e-5 or d1 < 1e-5
    let h0 = where(small, 1e-6, 0.01 * d0 / where(small, 1.0, d1)).astype(y.dtype)
    let d2 = _rms((f(y + h0 * k, t + h0) - k) / size) / h0
    let top = maximum(d1, d2)
    let flat = top <= 1e-15
    let h1 =
        where(flat, maximum(1e-6, h0 * 1e-3), (0.01 / where(flat, 1.0, top)) ** (1 / (order + 1)))
    stop_gradient(minimum(100 * h0, h1).astype(y.dtype))
}

## Integrates from `start` to `end`. carry: y, its slope, and the first step size. Step sizes have no derivatives,
## except that of the last step, which ends at `end`.
fn _adaptive(method, f, carry, start, end, allowed, most) {
    let (y0, k0, first) = carry
    let way = end - start
    mut (y, k, t, h) = (y0, k0, start, first)
    mut n = 0
    while (end - t) * way > 0 and n < most {
        let last = h >= abs(end - t)
        let step = where(last, end - t, where(way < 0, -h, h))
        let (next, error, slope) = method(f, y, t, step, k)
        let found = stop_gradient(_rms(error / allowed(y, next)))
        let size = where(isnan(found), inf, found)
        let good = size <= 1
        let factor =
            where(size == 0, 10.0, clip(0.9 * where(size == 0, 1.0, size) ** -0.2, 0.2, 10.0))
        y = where(good, next, y)
        k = where(good, slope, k)
        t = where(good, where(last, end, t + step), t)
        # The last step is shortened to end at `end`: the next step size is at least the one before the shortening.
        let wish = abs(stop_gradient(step)) * factor
        h = where(good and last, maximum(h, wish), wish).astype(h.dtype)
        n += 1
    }
    (where((end - t) * way <= 0, y, nan), k, h)
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

# The coefficients of Rodas5P for the stages u. Stages 7 and 8 and the result add u[5], u[6] and u[7] to the argument of
# stage 6.
let _rodas_gamma = 0.21193756319429014
let _rodas_a = (
    (),
    (3.0,),
    (2.849394379747939, 0.45842242204463923),
    (-6.954028509809101, 2.489845061869568, -10.358996098473584),
    (2.8029986275628964, 0.5072464736228206, -0.3988312541770524, -0.04721187230404641),
    (
        -7.502846399306121, 2.561846144803919, -11.627539656261098, -0.18268767659942256,
        0.030198172008377946,
    ),
)
let _rodas_c = (
    (),
    (-14.155112264123755,),
    (-17.97296035885952, -2.859693295451294),
    (147.12150275711716, -1.41221402718213, 71.68940251302358),
    (165.43517024871676, -0.4592823456491126, 42.90938336958603, -5.961986721573306),
    (
        24.854864614690072, -3.0009227002832186, 47.4931110020768, 5.5814197821558125,
        -0.6610691825249471,
    ),
    (
        30.91273214028599, -3.1208243349937974, 77.79954646070892, 34.28646028294783,
        -19.097331116725623, -28.087943162872662,
    ),
    (
        37.80277123390563, -3.2571969029072276, 112.26918849496327, 66.9347231244047,
        -40.06618937091002, -54.66780262877968, -9.48861652309627,
    ),
)
let _rodas_times =
    (0.0, 0.6358126895828704, 0.4095798393397535, 0.9769306725060716, 0.4288403609558664)
let _rodas_d = (
    0.21193756319429014, -0.42387512638858027, -0.3384627126235924, 1.8046452872882734,
    2.325825639765069,
)

## One step of Rodas5P, with the results of _dopri5. With w = 1 / (gamma h) - jacobian, the stages solve
## w u[i] = f(y + sum a[i, j] u[j], t + times[i] h) + sum c[i, j] u[j] / h + d[i] h df/dt.
fn _rodas5p(f, y, t, h, k1) {
    let n = len(y)
    let w = eye(n, dtype=y.dtype) / (_rodas_gamma * h) - jacfwd(fn(y) = f(y, t))(y)
    let rate = h * jvp(fn(t) = f(y, t), (t,), (ones_like(t),))[1]
    let lu = linalg.lu_factor(w)
    let solved = fn(b) = custom_linear_solve(
        fn(x) = w @ x,
        b,
        fn(_, b) = linalg.lu_solve(lu, b),
        transpose_solve=fn(_, b) = linalg.lu_solve(lu, b, trans=1),
    )
    let weighed = fn(row, u) {
        mut s = zeros_like(y)
        for (a, v) in tuple(zip(row, u)) { s += a * v }
        s
    }
    mut u = (solved(k1 + _rodas_d[0] * rate),)
    mut at = y
    for i in tuple(1..8) {
        at = if i < 6 { y + weighed(_rodas_a[i], u) } else { at + u[-1] }
        let slope = f(at, if i < 5 { t + _rodas_times[i] * h } else { t + h })
        let more = if i < 5 { _rodas_d[i] * rate } else { zeros_like(y) }
        u += (solved(slope + weighed(_rodas_c[i], u) / h + more),)
    }
    let next = at + u[7]
    (next, u[7], f(next, t + h))
}
## The same step, which reverse mode computes again instead of keeping its jacobian and stages.
fn _rodas5p_again(f, y, t, h, k) = checkpoint(fn(y, t, h, k) = _rodas5p(f, y, t, h, k))(y, t, h, k)

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

# The conditions of order of a Rosenbrock method (Hairer and Wanner, Solving Ordinary Differential Equations II, IV.7).
# A tree is the tuple of its branches. A vertex with one branch takes alpha + gamma, others take alpha.
fn _order_sum(tree, alpha, beta) {
    mut product = ones(len(alpha), dtype=f64)
    for branch in tree {
        product *= (if len(tree) == 1 { beta } else { alpha }) @ _order_sum(branch, alpha, beta)
    }
    product
}
fn _order_of_tree(tree) {
    mut n = 1
    for branch in tree { n += _order_of_tree(branch) }
    n
}
fn _density(tree) {
    mut d = _order_of_tree(tree)
    for branch in tree { d *= _density(branch) }
    d
}
fn _with_rows(m, rows) {
    mut m = m
    for (i, row) in tuple(enumerate(rows)) {
        for (j, v) in tuple(enumerate(row)) { m[i, j] = v }
    }
    m
}

test "the coefficients of stiff satisfy the conditions of order 5, those of its estimate order 4" {
    let last = _rodas_a[5]
    let empty = zeros((8, 8), dtype=f64)
    let a = _with_rows(empty, _rodas_a + (last + (1.0,), last + (1.0, 1.0)))
    let gamma = linalg.inv(eye(8, dtype=f64) / _rodas_gamma - _with_rows(empty, _rodas_c))
    let alpha = a @ gamma
    let beta = alpha + gamma
    let b = stack((f64(v) for v in last + (1.0, 1.0, 1.0))) @ gamma
    let (one, two, fork) = ((), ((),), ((), ()))
    let four = ((one, one, one), (two, one), (fork,), ((two,),))
    let five = (
        (one, one, one, one),
        (two, one, one),
        (fork, one),
        ((two,), one),
        (two, two),
        ((one, one, one),),
        ((two, one),),
        ((fork,),),
        (((two,),),),
    )
    for tree in (one, two, fork, (two,)) + four + five {
        assert(abs(sum(b * _order_sum(tree, alpha, beta)) * _density(tree) - 1) < 1e-11, "{tree}")
    }
    for tree in (one, two, fork, (two,)) + four {
        assert(abs(sum(beta[7] * _order_sum(tree, alpha, beta)) * _density(tree) - 1) < 1e-11)
    }
    assert(allclose(sum(alpha, axis=1)[:5], stack((f64(v) for v in _rodas_times)), rtol=1e-13))
    assert(allclose(sum(gamma, axis=1)[:5], stack((f64(v) for v in _rodas_d)), rtol=1e-12))
}

test "stiff follows the slow part of a linear system, with derivatives in time, state and rate" {
    # x = cos t + (x0 - 1) e^(-k t), where e^(-k t) is 0
    let slow = fn({x}, t, k) = {x: -k * (x - cos(t)) - sin(t)}
    let t = f64([0.0, 0.0, 1.0, 3.0])
    let end = fn(x0, last, k) =
        stiff(slow, {x: x0}, t with [3] = last, args=(k,), rtol=1e-9, atol=1e-9).x[-1]
    let (x0, last, k) = (f64(2), f64(3), f64(1e6))
    let (value, (by_x0, by_t, by_k)) = value_and_grad(end, argnums=(0, 1, 2))(x0, last, k)
    assert(abs(value - cos(last)) < 1e-9 and abs(by_t + sin(last)) < 1e-7)
    assert(abs(by_x0) < 1e-12 and abs(by_k) < 1e-12)
}

test "bdf and stiff solve the problem of Robertson, with derivatives" {
    let reactions = fn(y, t, k) {
        let (fast, slow) = (k[1] * y[1] ** 2, k[0] * y[0] - k[2] * y[1] * y[2])
        [-slow, slow - fast, fast]
    }
    let k = f64([0.04, 3e7, 1e4])
    # Hairer and Wanner, Solving Ordinary Differential Equations II, IV.10
    let known = f64([0.7158270688, 0.9185534765e-5, 0.2841637457])
    let end = fn(solver) = fn(k) = solver(
        reactions,
        f64([1, 0, 0]),
        f64([0, 0.4, 40]),
        args=(k,),
        rtol=1e-8,
        atol=1e-12,
    )[-1]
    for solver in (bdf, stiff) { assert(allclose(end(solver)(k), known, rtol=1e-7)) }
    let slopes = (jacrev(end(solver))(k) for solver in (bdf, stiff))
    assert(allclose(slopes[0], slopes[1], rtol=1e-5))
}

test "bdf takes trees, falling and repeated times, batches, and every dtype" {
    let decay = fn(y, t, rate) = {a: -rate * y.a}
    let y = bdf(decay, {a: [1.0, 2.0]}, [0.0, -1.0, -1.0, -3.0], args=(1.0,)).a
    assert(allclose(y, exp([0.0, 1.0, 1.0, 3.0])[:, none] * [1, 2], rtol=1e-4))
    let t = f64([0, 1])
    let end = fn(k, t) = bdf(fn(y, t) = -k * y, 1f64, t, rtol=1e-9, atol=1e-9)[-1]
    assert(allclose(vmap(end, in_axes=(0, none))(f64([1, 1000]), t), [exp(-1f64), 0], atol=1e-7))
    assert(allclose(jvp(end, (f64(2), t), (f64(1), 0 * t))[1], -exp(-2f64), rtol=1e-6))
    assert(allclose(grad(grad(end))(f64(2), t), exp(-2f64), rtol=1e-6))
    let by_t = grad(end, argnums=1)(f64(2), t)
    assert(allclose(by_t, 2 * exp(-2f64) * f64([1, -1]), rtol=1e-6))
    let rest = fn(y, t) = 0 * y
    assert(array_equal(bdf(rest, 3.0, [0.0, 5.0]), [3, 3]) and bdf(rest, 3.0, [1.0]).shape == (1,))
    assert(bdf(rest, bf16([1.0]), [0.0, 1.0]).dtype == bf16)
    for solver in (odeint, stiff, bdf) {
        assert(array_equal(isnan(solver(rest, 1.0, [0.0, nan])), [false, true]))
        assert(array_equal(solver(rest, 1.0, [2.0, 2.0, 2.0]), [1, 1, 1]))
        assert(grad(fn(y) = solver(rest, y, [2.0, 2.0])[1])(1.0) == 1)
        assert(isnan(solver(fn(y, t) = y * y, 1.0, [0.0, 2.0], most=100)[1]))
    }
}
