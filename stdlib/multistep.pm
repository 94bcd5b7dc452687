# Inner module of ode: the numerical differentiation formulas of orders 1 to 5 with variable steps (Shampine and
# Reichelt, The MATLAB ODE suite, SIAM J. Sci. Comput. 18, 1997, section 2). The state of the method is the table
# differences f[8, n]: row j is the backward difference of order j of the solution at equal steps h. Rows 6 and 7 serve
# the choice of a higher order. A change of h interpolates the table.

# For the orders 0 to 6: the kappa of the formulas, and the sums of 1 / j.
let _kappa = f64([0, -0.185, -1 / 9, -0.0823, -0.0415, 0, 0])
let _harmonic = cumsum(f64([0, 1, 1 / 2, 1 / 3, 1 / 4, 1 / 5, 1 / 6]))
let _alpha = (1 - _kappa) * _harmonic
let _error = _kappa * _harmonic + 1 / f64([1, 2, 3, 4, 5, 6, 7])

## multistep.bdf(f, y, t, allowed, rtol, most): The values f[m, n] at the times t f[m] of the solution of y' = f(y, t)
## with y f[n] at t[0]. allowed(a, b) is the error f[n] that a step from a to b may have.
fn bdf(f, y, t, allowed, rtol, most) {
    let k = f(y, t[0])
    let way = t[-1] - t[0]
    let first = ode._first_step(f, y, t[0], k, allowed, 1)
    # Equal times have no step, but a size of it.
    let h = stop_gradient(where(way < 0, -1, 1) * where(way == 0, first, minimum(first, abs(way))))
    let jacobian = zeros((len(y), len(y)), dtype=y.dtype)
    let differences = zeros((8, len(y)), dtype=y.dtype) with [0] = y with [1] = k * h
    let start = {
        t: t[0],
        h: h,
        differences: differences,
        order: 1i32,
        equal: 0i32,
        jacobian: jacobian,
        factors: linalg.lu_factor(eye(len(y), dtype=y.dtype)),
        stale: true,
        factored: false,
    }
    let eps = finfo(y.dtype).eps
    let control = {
        allowed: allowed,
        # The error of Newton's method, relative to that of a step.
        newton: clip(10 * eps / maximum(rtol, eps), minimum(0.03, sqrt(rtol)), 0.3).astype(y.dtype),
        last: stop_gradient(t[-1]),
    }
    let walk = fn(state, end) {
        mut (s, n) = (state, 0)
        while (end - s.t) * way > 0 and n < most {
            s = _step(f, s, control)
            n += 1
        }
        let reached = (end - s.t) * way <= 0
        (s, where(reached, _between(s, end), nan))
    }
    let (_, rest) = scan(walk, start, t[1:])
    concatenate((y[none], rest))
}

## One step, accepted or not. A failure of Newton's method computes the jacobian again, and after that halves h.
fn _step(f, state, control) {
    let s = _shortened(state, control.last)
    let n = len(s.differences[0])
    let rows = arange(8)
    let t = s.t + s.h
    let used = rows <= s.order
    let predicted = where(used, 1, 0).astype(s.h.dtype) @ s.differences
    let weights = where(used, concatenate((_harmonic, [0f64])), 0) / _alpha[s.order]
    let psi = weights.astype(s.h.dtype) @ s.differences
    let c = s.h / _alpha[s.order].astype(s.h.dtype)
    let held = stop_gradient(predicted)
    let jacobian = if s.stale {
        stop_gradient(jacfwd(fn(y) = f(y, t))(held))
    } else {
        s.jacobian
    }
    let factors = if s.factored and not s.stale {
        s.factors
    } else {
        linalg.lu_factor(eye(n, dtype=held.dtype) - c * jacobian)
    }
    let residual = fn(d) = d + psi - c * f(predicted + d, t)
    let found = stop_gradient(
        _newton(residual, factors, control.allowed(held, held), control.newton),
    )
    let d = custom_root(residual, found.d, fn(_, d) = d, _tangent)
    let y = predicted + d
    let size = _size_of(d, s.order, control.allowed(y, y))
    let safety = 0.9 * 9 / (8 + found.iterations)
    let good = found.converged and size <= 1
    let refused = if found.converged { maximum(0.2, safety * _power(size, s.order)) } else { 0.5 }
    let retried = not found.converged and not s.stale
    let done = _accepted(s, t, d, control.allowed(y, y), safety)
    let factor = stop_gradient(where(good, done.factor, where(retried, 1, refused)))
    let order = where(good, done.order, s.order)
    {
        t: where(good, t, s.t),
        h: s.h * factor,
        differences: _rescaled(where(good, done.differences, s.differences), order, factor),
        order: order,
        equal: where(factor != 1, 0, s.equal + where(good, 1, 0)).astype(i32),
        jacobian: jacobian,
        factors: factors,
        stale: retried,
        factored: factor == 1,
    }
}
## The solution of linear(d) = y by the matrix of the linear function.
fn _tangent(linear, y) = linalg.solve(jacfwd(linear)(zeros_like(y)), y)

## The state with a step that ends at `last` if its step would end after it.
fn _shortened(s, last) {
    let rest = stop_gradient(last - s.t)
    let long = abs(s.h) > abs(rest)
    let factor = where(long, rest / s.h, 1)
    {
        ..s,
        h: where(long, rest, s.h),
        differences: _rescaled(s.differences, s.order, factor),
        equal: where(long, 0, s.equal),
        factored: s.factored and not long,
    }
}

## {d, iterations, converged}: the root d of the residual by a simplified Newton's method of at most 4 iterations, from
## 0. It converges if the error that the rate of convergence predicts is at most `tolerance`.
fn _newton(residual, factors, allowed, tolerance) {
    mut d = zeros_like(allowed)
    mut before = ones((), dtype=d.dtype)
    mut (k, converged, failed) = (0i32, false, false)
    while k < 4 and not converged and not failed {
        let step = -linalg.lu_solve(factors, residual(d))
        let size = ode._rms(step / allowed)
        let rate = where(k == 0, 0.5, size / before)
        let rest = rate / (1 - rate) * size
        failed = not isfinite(size) or rate >= 1 or (k > 0 and rate ** (3 - k) * rest > tolerance)
        d = where(failed, d, d + step)
        converged = not failed and (size == 0 or (k > 0 and rest < tolerance))
        before = size
        k += 1
    }
    {d: d, iterations: k, converged: converged}
}

## The error of a formula with the difference d, relative to the error allowed.
fn _size_of(d, order, allowed) {
    let size = stop_gradient(ode._rms(d / allowed)) * _error[order].astype(d.dtype)
    where(isnan(size), inf, size)
}
## size^(-1 / (order + 1)), the change of the step for which the error is 1
fn _power(size, order) = where(size == 0, 10.0, where(size == 0, 1, size) ** (-1 / (order + 1)))

## {differences, order, factor} after a step with the difference d of order + 1. After order + 1 equal steps it is the
## order, of the last one and its neighbours, with the largest next step.
fn _accepted(s, t, d, allowed, safety) {
    let rows = arange(8)[:, none]
    let next =
        s.differences with [s.order + 2] = d - s.differences[s.order + 1] with [s.order + 1] = d
    # row j becomes the sum of the rows from j to order + 1
    let sums = cumsum(where(rows <= s.order + 1, next, 0)[::-1], axis=0)[::-1]
    let differences = where(rows <= s.order, sums, next)
    let orders = s.order + [-1, 0, 1]
    let factors = stack((_grown(differences, orders[i], allowed) for i in (0, 1, 2)))
    let best = argmax(factors)
    let changes = s.equal >= s.order
    {
        differences: differences,
        order: where(changes, orders[best], s.order).astype(i32),
        factor: where(changes, minimum(10, safety * factors[best]), 1).astype(d.dtype),
    }
}
fn _grown(differences, order, allowed) {
    let inner = clip(order, 1, 5)
    let size = _size_of(differences[inner + 1], inner, allowed)
    where(order == inner, _power(size, inner), 0)
}

## The table for the step h * factor: the differences up to `order` of the same polynomial.
fn _rescaled(differences, order, factor) {
    let product = _change(factor, differences.dtype) @ _change(1, differences.dtype)
    let rows = arange(6)
    let used = (rows <= order)[:, none] and (rows <= order)
    let matrix = where(used, product, eye(6, dtype=differences.dtype))
    where(factor == 1, differences, differences with [:6] = matrix.T @ differences[:6])
}
fn _change(factor, dtype) {
    let j = arange(1, 6, dtype=dtype)
    let i = j[:, none]
    let below = (i - 1 - factor * j) / i
    let matrix = ones((6, 6), dtype=dtype) with [1:, 0] = 0 with [1:, 1:] = below
    cumprod(matrix, axis=0)
}

## The polynomial of the last steps at the time t, which is not after the last.
fn _between(s, t) {
    let far = (t - s.t) / s.h
    mut (y, product) = (s.differences[0], ones_like(far))
    for j in tuple(1..6) {
        product = product * (far + (j - 1)) / j
        y = y + where(j <= s.order, product, 0) * s.differences[j]
    }
    y
}
