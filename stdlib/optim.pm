# Optimisers. Each is a record {init, update}: state = o.init(params), then
# (params, state) = o.update(params, state, grads). Parameters, gradients and the trees in a state have one structure.
# Parameters and state keep their dtypes. A learning rate is a number, or a schedule: a function of the step 0, 1, ...
# The steps are those of optax where it has the optimiser. Tests: tests/library/optim.pm.
# Then minimizers and roots of functions of trees, with the derivatives of the implicit function.

## Checks a learning rate when the optimiser is made: a function of the step, or one number.
fn _checked_rate(rate, what) {
    if kind(rate) != "function" and (not _is_numeric(rate) or array(rate).ndim != 0) {
        _refuse("the `rate` of `{what}` must be a number or a schedule, a function of the step, got {_type(rate)}")
    }
    rate
}
fn _rate(rate, step) {
    if kind(rate) != "function" { return rate }
    let now = rate(step)
    if not _is_numeric(now) or array(now).ndim != 0 {
        _refuse("a schedule gives one number for each step, got {_type(now)}")
    }
    now
}

## Checks the decay factor of a moving average: 0 <= b < 1.
fn _factor(b, what) {
    let b = _one_number(b, what)
    assert(b >= 0 and b < 1, "{what} must lie from 0 to less than 1")
    b
}

## A number that is at least 0.
fn _not_negative(x, what) {
    let x = _one_number(x, what)
    assert(x >= 0, "{what} must not be below 0")
    x
}

## Checks the arguments of update: the state has `step` and the fields `moments`, trees like `params`, and grads has the
## same structure and leaf shapes as `params`.
fn _fit(params, state, grads, moments) {
    let fields = text.sort(("step",) + moments)
    if kind(state) != "record" or text.sort(keys(state)) != fields {
        _refuse("`update` of an optimiser takes (params, state, grads) in this order, got no state of this optimiser's init in the second place: {_tree_type(state)}")
    }
    let other = _difference(params, grads)
    if other != none {
        let (path, p, g) = other
        _refuse("gradients are a tree like the parameters, as grad gives them:{_at(path)} the parameters have {_tree_type(p)}, the gradients {_tree_type(g)}")
    }
    for name in moments { _same_state(params, state[name]) }
}
## A place in a tree for messages.
fn _at(path) = if path == "" { "" } else { " at `{path}`" }
## A description of a tree's outermost level for messages.
fn _tree_type(t) {
    if kind(t) == "tuple" { return "a tuple of {len(t)}" }
    if kind(t) == "record" { return "a record of {_text_join(keys(t), ", ")}" }
    if _is_numeric(t) { _type(t) } else { kind(t) }
}
fn _same_state(params, seen) {
    let (a, b) =
        ((array(x).shape for x in tree_leaves(params)), (array(x).shape for x in tree_leaves(seen)))
    if a != b { _refuse("the state is that of other parameters: make it by init(params) of these") }
}

## The initial moments: zeros like each leaf, integers as floats.
fn _zeros(params) = tree_map(fn(p) = zeros_like(_inexact(array(p))), params)

## b * old + c * new for each leaf, in the dtype of `old`.
fn _mixed(b, old, c, new) = tree_map(fn(o, n) = (b * o + c * n).astype(o.dtype), old, new)

fn _move(params, steps) = tree_map(
    fn(p, s) {
        let p = _inexact(array(p))
        (p + s).astype(p.dtype)
    },
    params,
    steps,
)
## params - rate * directions for each leaf.
fn _down(params, rate, directions) = _move(params, tree_map(fn(d) = -(rate * d), directions))

## optim.sgd(rate, momentum=0.0, nesterov=false): The optimiser of gradient descent, p - rate * v with
## v = momentum * v + g. If nesterov=true the step uses momentum * v + g with the new v instead of v.
fn sgd(rate, momentum=0.0, nesterov=false) {
    let rate = _checked_rate(rate, "optim.sgd")
    let momentum = _one_number(momentum, "the `momentum` of `optim.sgd`")
    fn init(params) = {step: i32(0), velocity: _zeros(params)}
    fn update(params, state, grads) {
        _fit(params, state, grads, ("velocity",))
        let velocity = _mixed(momentum, state.velocity, 1, grads)
        let direction = if nesterov { _mixed(momentum, velocity, 1, grads) } else { velocity }
        (
            _down(params, _rate(rate, state.step), direction),
            {step: state.step + 1, velocity: velocity},
        )
    }
    {init: init, update: update}
}

## optim.momentum(rate, momentum=0.9): The optimiser optim.sgd with momentum (Polyak 1964).
fn momentum(rate, momentum=0.9) = sgd(rate, momentum=momentum)

## The bias correction 1 - b^(step + 1) of a moving average that starts at 0, in f64 for f64 leaves, else in f32.
fn _correction(b, step, leaf) = 1 - b ** (step + 1).astype(_wide(leaf).dtype)

## optim.adam(rate, b1=0.9, b2=0.999, eps=1e-8): The optimiser Adam with bias correction (Kingma and Ba 2015).
## b1 and b2 are the decay factors of the averages of gradients and squared gradients, at least 0 and below 1.
## `eps` is added to the root of the squared average.
fn adam(rate, b1=0.9, b2=0.999, eps=1e-8) =
    _adam(rate, b1, b2, eps, _decays(0.0, none, "optim.adam"), "optim.adam")

## optim.adamw(rate, b1=0.9, b2=0.999, eps=1e-8, weight_decay=1e-4, mask=none): The optimiser Adam with decoupled weight
## decay (Loshchilov and Hutter 2019). The step also subtracts rate * weight_decay * p from the leaves that `mask`
## selects: none for all, a tree of bools like params, or a function from params to such a tree.
fn adamw(rate, b1=0.9, b2=0.999, eps=1e-8, weight_decay=1e-4, mask=none) =
    _adam(rate, b1, b2, eps, _decays(weight_decay, mask, "optim.adamw"), "optim.adamw")

## The function from parameters to the tree of their weight decays, `weight_decay` or 0.
fn _decays(weight_decay, mask, what) {
    let decay = _one_number(weight_decay, "the `weight_decay` of `{what}`")
    fn(params) {
        if mask == none { return tree_map(fn(p) = decay, params) }
        let chosen = if kind(mask) == "function" { mask(params) } else { mask }
        let other = _difference(tree_map(fn(p) = true, params), chosen)
        if other != none {
            _refuse("the `mask` of `{what}` is a tree like the parameters with one bool for each leaf, got {_tree_type(other[2])}{_at(other[0])}")
        }
        tree_map(fn(c) = if c { decay } else { 0 * decay }, chosen)
    }
}

fn _adam(rate, b1, b2, eps, decays, what) {
    let rate = _checked_rate(rate, what)
    let b1 = _factor(b1, "the `b1` of `{what}`")
    let b2 = _factor(b2, "the `b2` of `{what}`")
    let eps = _not_negative(eps, "the `eps` of `{what}`")
    let (d1, d2) = (1 - b1, 1 - b2)
    fn init(params) = {step: i32(0), m: _zeros(params), v: _zeros(params)}
    fn update(params, state, grads) {
        _fit(params, state, grads, ("m", "v"))
        let m = _mixed(b1, state.m, d1, grads)
        let v = _mixed(b2, state.v, d2, tree_map(fn(g) = g * g, grads))
        let direction = tree_map(
            fn(p, m, v, d) {
                let (c1, c2) = (_correction(b1, state.step, m), _correction(b2, state.step, v))
                m / c1 / (sqrt(v / c2) + eps) + d * p
            },
            params,
            m,
            v,
            decays(params),
        )
        (_down(params, _rate(rate, state.step), direction), {step: state.step + 1, m: m, v: v})
    }
    {init: init, update: update}
}

## optim.rmsprop(rate, decay=0.9, eps=1e-8, momentum=0.0): The optimiser RMSProp, which divides gradients by their root
## mean square. The parameters become p - m with m = momentum * m + rate * g / sqrt(v + eps), where v is the moving
## average of g^2 with factor `decay`. The momentum keeps the rates of earlier steps (Tieleman and Hinton 2012).
fn rmsprop(rate, decay=0.9, eps=1e-8, momentum=0.0) {
    let rate = _checked_rate(rate, "optim.rmsprop")
    let decay = _factor(decay, "the `decay` of `optim.rmsprop`")
    let eps = _not_negative(eps, "the `eps` of `optim.rmsprop`")
    let momentum = _one_number(momentum, "the `momentum` of `optim.rmsprop`")
    fn init(params) = {step: i32(0), v: _zeros(params), velocity: _zeros(params)}
    fn update(params, state, grads) {
        _fit(params, state, grads, ("v", "velocity"))
        let v = _mixed(decay, state.v, 1 - decay, tree_map(fn(g) = g * g, grads))
        let direction = tree_map(fn(g, v) = g * rsqrt(v + eps), grads, v)
        let m = _mixed(momentum, state.velocity, _rate(rate, state.step), direction)
        (_down(params, 1, m), {step: state.step + 1, v: v, velocity: m})
    }
    {init: init, update: update}
}

## optim.adagrad(rate, initial=0.1, eps=1e-7): The optimiser AdaGrad, p - rate * g / sqrt(v + eps).
## v is `initial` plus the sum of all squared gradients (Duchi et al. 2011).
fn adagrad(rate, initial=0.1, eps=1e-7) {
    let rate = _checked_rate(rate, "optim.adagrad")
    let eps = _not_negative(eps, "the `eps` of `optim.adagrad`")
    fn init(params) = {step: i32(0), v: tree_map(fn(z) = z + initial, _zeros(params))}
    fn update(params, state, grads) {
        _fit(params, state, grads, ("v",))
        let v = _mixed(1, state.v, 1, tree_map(fn(g) = g * g, grads))
        let direction = tree_map(fn(g, v) = g * rsqrt(v + eps), grads, v)
        (_down(params, _rate(rate, state.step), direction), {step: state.step + 1, v: v})
    }
    {init: init, update: update}
}

## optim.lion(rate, b1=0.9, b2=0.99, weight_decay=1e-3, mask=none): The optimiser Lion, which steps by the sign of an
## average of gradients. The parameters become p - rate * (sign(b1 * m + (1 - b1) * g) + weight_decay * p). Then
## m = b2 * m + (1 - b2) * g (Chen et al. 2023). `mask` selects the leaves that decay, as in optim.adamw.
fn lion(rate, b1=0.9, b2=0.99, weight_decay=1e-3, mask=none) {
    let rate = _checked_rate(rate, "optim.lion")
    let b1 = _factor(b1, "the `b1` of `optim.lion`")
    let b2 = _factor(b2, "the `b2` of `optim.lion`")
    let decays = _decays(weight_decay, mask, "optim.lion")
    fn init(params) = {step: i32(0), m: _zeros(params)}
    fn update(params, state, grads) {
        _fit(params, state, grads, ("m",))
        let direction = tree_map(
            fn(p, m, g, d) = sign(b1 * m + (1 - b1) * g) + d * p,
            params,
            state.m,
            grads,
            decays(params),
        )
        (
            _down(params, _rate(rate, state.step), direction),
            {step: state.step + 1, m: _mixed(b2, state.m, 1 - b2, grads)},
        )
    }
    {init: init, update: update}
}

## optim.clipped(optimiser, norm): The optimiser with gradients clipped to the global norm `norm`.
fn clipped(optimiser, norm) {
    _positive(norm, "the `norm` of `optim.clipped`")
    fn update(params, state, grads) =
        optimiser.update(params, state, clip_by_global_norm(grads, norm))
    {init: optimiser.init, update: update}
}

# ---- averages of parameters, gradients

## optim.ema(average, params, decay=0.999): The exponential moving average decay * average + (1 - decay) * params for
## each leaf, in the dtype of `average`. It also moves the target network of Q-learning.
fn ema(average, params, decay=0.999) {
    let decay = _factor(decay, "the `decay` of `optim.ema`")
    let other = _difference(average, params)
    if other != none {
        _refuse("`optim.ema` averages trees of one structure, got {_tree_type(other[1])} and {_tree_type(other[2])}{_at(other[0])}")
    }
    _mixed(decay, average, 1 - decay, params)
}

## optim.global_norm(t): The root of the sum of all squares of a tree, computed in f32 or wider.
## The function tree.norm.
let global_norm = tree.norm

## optim.clip_by_global_norm(tree, norm): The tree scaled down to the global norm `norm` if its norm is greater.
## Leaves keep their dtypes. `norm` is above 0.
fn clip_by_global_norm(tree, norm) {
    let norm = _positive(
        _one_number(norm, "the `norm` of `optim.clip_by_global_norm`"),
        "the `norm` of `optim.clip_by_global_norm`",
    )
    let found = global_norm(tree)
    let factor = where(found > norm, norm / where(found > norm, found, 1.0), 1.0)
    tree_map(fn(g) = (g * factor).astype(g.dtype), tree)
}

## optim.clip_by_value(tree, limit): The tree with every element clipped to [-limit, limit]. `limit` is above 0.
fn clip_by_value(tree, limit) {
    let limit = _positive(limit, "the `limit` of `optim.clip_by_value`")
    tree_map(fn(g) = clip(g, -limit, limit), tree)
}

# ---- schedules: functions of the step

## optim.constant(value): The schedule whose value is always `value`.
fn constant(value) = fn(step) = value

fn _steps(n, what) {
    if not _is_numeric(n) or _known(n) < 1 {
        _refuse("the `steps` of `{what}` must be at least 1, got {n}")
    }
    _known(n)
}

## optim.exponential_decay(value, steps, factor): The schedule value * factor ** (step / steps), without rounding of the
## quotient.
fn exponential_decay(value, steps, factor) {
    let n = _steps(steps, "optim.exponential_decay")
    fn(step) = value * factor ** (f32(step) / n)
}

## optim.linear(first, last, steps): The schedule from `first` linearly to `last` in `steps` steps, then constant.
fn linear(first, last, steps) {
    let n = _steps(steps, "optim.linear")
    fn(step) = first + (last - first) * minimum(f32(step) / n, 1.0)
}

## optim.polynomial(first, last, power, steps): The schedule last + (first - last) * (1 - step / steps) ** power.
## It is `last` from `steps` on.
fn polynomial(first, last, power, steps) {
    let n = _steps(steps, "optim.polynomial")
    fn(step) = last + (first - last) * (1 - minimum(f32(step) / n, 1.0)) ** power
}

## optim.cosine_decay(value, steps, alpha=0.0): The schedule from `value` to alpha * value along half a cosine, then
## constant. It reaches alpha * value at `steps` (Loshchilov and Hutter 2017).
fn cosine_decay(value, steps, alpha=0.0) {
    let n = _steps(steps, "optim.cosine_decay")
    fn(step) = value * (alpha + (1 - alpha) * 0.5 * (1 + cos(pi * minimum(f32(step) / n, 1.0))))
}

## optim.warmup_cosine(value, warmup, steps): The schedule from 0 linearly to `value`, then along half a cosine to 0.
## It reaches `value` at the step `warmup` and 0 at `steps`. `warmup` is at least 0 and below `steps`.
fn warmup_cosine(value, warmup, steps) {
    if _known(warmup) < 0 or _known(warmup) >= _steps(steps, "optim.warmup_cosine") {
        _refuse("the `warmup` of `optim.warmup_cosine` must be from 0 to less than steps={steps}, got {warmup}")
    }
    joined(
        (
            linear(0.0, value, if _known(warmup) == 0 { 1 } else { warmup }),
            cosine_decay(value, steps - warmup),
        ),
        (warmup,),
    )
}

## optim.piecewise_constant(value, boundaries, factors): The schedule `value`, multiplied by each factor from its
## boundary on.
fn piecewise_constant(value, boundaries, factors) {
    if len(boundaries) != len(factors) {
        _refuse("`optim.piecewise_constant` needs one factor for each of {_counted(len(boundaries), "boundary", "boundaries")}, got {len(factors)}")
    }
    fn(step) {
        mut v = value
        for (b, f) in tuple(zip(boundaries, factors)) { v = where(step >= b, v * f, v) }
        v
    }
}

## optim.joined(schedules, boundaries): The schedule that switches to the next one of `schedules` at each boundary.
## A schedule counts its steps from its boundary. There is one schedule more than boundaries.
fn joined(schedules, boundaries) {
    if len(schedules) != len(boundaries) + 1 {
        _refuse("`optim.joined` needs one schedule more than boundaries, got {len(schedules)} and {len(boundaries)}")
    }
    fn(step) {
        mut v = schedules[0](step)
        for (f, b) in tuple(zip(schedules[1:], boundaries)) { v = where(step >= b, f(step - b), v) }
        v
    }
}

# ---- minimizers and roots of functions of trees

## x0 as a vector of floats, and the function from such a vector to a tree like x0. f16 and bf16 become f32.
fn _as_vector(x0, what) {
    for x in tree_leaves(x0) {
        if iscomplexobj(x) { _refuse("`{what}` needs real numbers to begin with, got {_type(x)}") }
    }
    let (flat, back) = tree.ravel(tree_map(fn(x) = _inexact(array(x)), x0))
    if flat.size == 0 { _refuse("`{what}` needs one number at least to begin with") }
    (_wide(flat), back)
}
## g(x) = y solved for x by the matrix of the linear function g.
fn _solved_by_matrix(g, y) = linalg.solve(jacfwd(g)(zeros_like(y)), y)

## optim.minimize(f, x0, args=(), memory=10, most=1000, gtol=none, report=0): A local minimum of f(x, ...args), found
## from the tree x0. The result is {x, value, gradient, iterations, converged}: the tree x, f(x), the greatest absolute
## element of the gradient there, the number of iterations i32, and whether `gradient` is at most `gtol`. If gtol is
## none it is the root of the dtype's eps. The method is L-BFGS with the last `memory` steps (Liu and Nocedal 1989). Its
## line search finds steps with the strong Wolfe conditions, up to the rounding of f, in at most 30 evaluations (Nocedal
## and Wright 2006, algorithms 3.5 and 3.6). If `report` is above 0, each iteration whose number it divides is printed
## with the value and the greatest element of the gradient. It ends after `most` iterations, if no such step is found,
## or after five iterations that lower neither f nor `gradient`. x has the derivatives of the solution of grad(f)(x) =
## 0, with respect to args and captured values. They need the Hessian of f, an n by n matrix, and are NaN or infinite
## where it is singular. Derivatives with respect to x0 are 0.
fn minimize(f, x0, args=(), memory=10, most=1000, gtol=none, report=0) {
    let (start, back) = _as_vector(x0, "optim.minimize")
    let memory = _count(memory, "the `memory` of `optim.minimize`", least=1)
    let most = _limit(most, "the `most` of `optim.minimize`")
    let report = _known(_count(report, "the `report` of `optim.minimize`"))
    let args = _more_arguments(args, "optim.minimize")
    let value = fn(v) {
        let y = f(back(v), *args)
        if not _is_numeric(y) or array(y).ndim != 0 {
            _refuse("`optim.minimize` needs a function whose result is one number, got {_type(y)}")
        }
        array(y).astype(start.dtype)
    }
    let limit = if gtol == none { sqrt(finfo(start).eps) } else { gtol }
    let (v, iterations) = custom_root(
        grad(value),
        start,
        fn(_, v) = _lbfgs(value_and_grad(value), v, (memory, most, limit, report)),
        _solved_by_matrix,
        has_aux=true,
    )
    let (y, slope) = value_and_grad(value)(v)
    let size = max(abs(slope))
    {
        x: back(v),
        value: y,
        gradient: size,
        iterations: iterations,
        converged: size <= limit,
    }
}
## The point where L-BFGS ends, and the number of its iterations. f(x) is (value, gradient).
fn _lbfgs(f, start, (memory, most, limit, report)) {
    let n = len(start)
    let (y0, g0) = f(start)
    # the last steps, the changes of the gradient, and 1 / (step @ change), 0 for none
    let empty = zeros((memory, n), dtype=start.dtype)
    mut (x, y, g) = (start, y0, g0)
    mut (steps, changes, rates) = (empty, empty, zeros(memory, dtype=start.dtype))
    mut scale = 1 / maximum(1, sqrt(sum(g0 * g0)))
    mut (iterations, idle, least) = (0i32, 0i32, max(abs(g0)))
    while iterations < most and idle < 5 and not (max(abs(g)) <= limit) {
        let way = -_inverse_hessian(g, steps, changes, rates, scale)
        let (a, y_new, g_new) = _wolfe(f, x, y, g, way)
        let step = a * way
        let change = g_new - g
        let bent = sum(step * change)
        let good = bent > finfo(x).eps * sum(change * change) * scale
        if good {
            steps = concatenate((steps[1:], step[none]))
            changes = concatenate((changes[1:], change[none]))
            rates = concatenate((rates[1:], (1 / bent)[none]))
            scale = bent / sum(change * change)
        }
        # Rounding ends the progress of f before that of the gradient.
        let size = max(abs(g_new))
        idle = if not (a > 0) { 5i32 } else if y_new < y or size < least { 0i32 } else { idle + 1 }
        least = minimum(least, size)
        x = x + step
        y = y_new
        g = g_new
        iterations += 1
        if report > 0 {
            if iterations % report == 0 {
                print("iteration {iterations}: value {y:.6g}, gradient {size:.3g}")
            }
        }
    }
    (x, iterations)
}
## The product of L-BFGS's approximate inverse Hessian and g: the recursion over the steps from the last to the first,
## and back.
fn _inverse_hessian(g, steps, changes, rates, scale) {
    let m = len(rates)
    mut q = g
    mut parts = zeros_like(rates)
    for k in 0..m {
        let i = m - 1 - k
        let part = rates[i] * sum(steps[i] * q)
        q = q - part * changes[i]
        parts = parts with [i] = part
    }
    q = scale * q
    for i in 0..m { q = q + (parts[i] - rates[i] * sum(changes[i] * q)) * steps[i] }
    q
}
## (a, value, gradient) at x + a * way, where a satisfies the strong Wolfe conditions with the constants 1e-4 and 0.9,
## up to the rounding of the values. If 30 trials find none, a is the best one with a sufficient decrease, or 0.
fn _wolfe(f, x, y, g, way) {
    let slope = sum(g * way)
    let rounding = 8 * finfo(x).eps * abs(y)
    # The interval from `low`, the best step with a sufficient decrease, to `high`, which may be less or infinite.
    let none_yet = (zeros_like(slope), y, slope)
    mut (low, high) = (none_yet, (zeros_like(slope) + inf, y, slope))
    mut g_low = g
    mut (a, tries, done) = (ones_like(slope), 0i32, not (slope < 0))
    while not done and tries < 30 {
        let (y_new, g_new) = f(x + a * way)
        let slope_new = sum(g_new * way)
        let here = (a, y_new, slope_new)
        let less = y_new <= y + 1e-4 * a * slope + rounding and y_new <= low[1] + rounding
        if less {
            done = abs(slope_new) <= -0.9 * slope
            let turned = slope_new * (high[0] - low[0]) >= 0
            high = tree.where(turned, low, high)
            low = here
            g_low = g_new
        } else {
            high = here
        }
        let open = isinf(high[0])
        let end = tree.where(open, (2 * low[0] + 1, low[1], low[2]), high)
        a = where(open, 4 * a, _between(low, end))
        tries += 1
    }
    (low[0], low[1], g_low)
}
## A step between two, the minimum of the cubic with their values and slopes, not close to the ends of the interval.
fn _between((a, ya, da), (b, yb, db)) {
    let finite = isfinite(yb) and isfinite(db)
    let (yb, db) = (where(finite, yb, ya), where(finite, db, da))
    let mean = da + db - 3 * (ya - yb) / (a - b)
    let square = mean * mean - da * db
    let bend = where(b < a, -1, 1) * sqrt(where(square > 0, square, 1))
    let slope = db - da + 2 * bend
    let least = b - (b - a) * (db + bend - mean) / where(slope == 0, 1, slope)
    let near = where(finite and square > 0 and slope != 0, least, (a + b) / 2)
    let (first, last) = (minimum(a, b), maximum(a, b))
    clip(near, first + 0.1 * (last - first), last - 0.1 * (last - first))
}

## optim.root(f, x0, args=(), most=100, tol=none): A solution x of f(x, ...args) = 0, found from the tree x0. f(x) is a
## tree of as many numbers as x0. The result is {x, residual, iterations, converged}: the tree x, the greatest absolute
## element of f(x), the number of iterations i32, and whether `residual` is at most `tol`, or the last step was at most
## 4 eps max(|x|). eps is that of the dtype. If tol is none it is eps ** 0.75. The method is Newton's with the jacobian
## by forward mode. Each step is halved until |f|^2 decreases (Dennis and Schnabel 1983, 6.3). Where the jacobian is
## singular, the step is that of steepest descent. It ends after `most` iterations, or if no step decreases |f|^2. x has
## the derivatives of the implicit function, with respect to args and captured values. Those with respect to x0 are 0.
fn root(f, x0, args=(), most=100, tol=none) {
    let (start, back) = _as_vector(x0, "optim.root")
    let most = _limit(most, "the `most` of `optim.root`")
    let args = _more_arguments(args, "optim.root")
    let value = fn(v) {
        let y = tree.ravel(f(back(v), *args))[0]
        if y.shape != start.shape {
            _refuse("`optim.root` needs as many equations as unknowns, got {len(y)} and {len(start)}")
        }
        y.astype(start.dtype)
    }
    let limit = if tol == none { finfo(start).eps ** 0.75 } else { tol }
    let (v, (iterations, small)) = custom_root(
        value,
        start,
        fn(f, v) = _newton(f, v, most, limit),
        _solved_by_matrix,
        has_aux=true,
    )
    let residual = max(abs(value(v)))
    {
        x: back(v),
        residual: residual,
        iterations: iterations,
        converged: small or residual <= limit,
    }
}
## The point where Newton's method ends, the number of its iterations, and whether the last step was small.
fn _newton(f, start, most, limit) {
    let eps = finfo(start).eps
    mut (x, y) = (start, f(start))
    mut (iterations, stuck, small) = (0i32, false, false)
    while iterations < most and not stuck and not small and not (max(abs(y)) <= limit) {
        let slopes = jacfwd(f)(x)
        let found = linalg.solve(slopes, -y)
        let down = -(slopes.T @ y)
        let steep = down * (sum(down * down) / sum((slopes @ down) ** 2))
        let way = where(all(isfinite(found)), found, steep)
        let size = sum(y * y)
        mut (a, y_new, tries) = (ones_like(size), f(x + way), 0i32)
        # At a root the values are rounding errors, which need not decrease.
        while not (sum(y_new * y_new) <= (1 - 1e-4 * a) * size) and tries < 40 {
            a = a / 2
            y_new = f(x + a * way)
            tries += 1
        }
        small = max(abs(way)) <= 4 * eps * max(abs(x))
        stuck = tries == 40
        x = where(stuck, x, x + a * way)
        y = where(stuck, y, y_new)
        iterations += 1
    }
    (x, (iterations, small))
}

## optim.root_scalar(f, low, high, args=(), most=100, xtol=0.0): A root x of f(x, ...args) between low and high, at
## which f has different signs. f works element by element, and each element has its own interval: low and high
## broadcast to the shape of f(low). The result is {x, value, iterations, converged}, arrays of this shape: f(x), the
## number of iterations until convergence i32, and whether the interval around x is at most 4 eps |x| + xtol, or f(x) is
## 0. eps is that of the dtype. x is NaN where f has the same sign at both ends, or is NaN at one. The method takes
## steps of inverse quadratic interpolation or halves the interval (Chandrupatla 1997). x has the derivatives of the
## implicit function, with respect to args and captured values. Those with respect to low and high are 0.
fn root_scalar(f, low, high, args=(), most=100, xtol=0.0) {
    for (end, name) in ((low, "low"), (high, "high")) {
        if not _is_numeric(end) {
            _refuse("the `{name}` of `optim.root_scalar` must be a number or an array, got {kind(end)}")
        }
    }
    let most = _limit(most, "the `most` of `optim.root_scalar`")
    let args = _more_arguments(args, "optim.root_scalar")
    let (a, b) = broadcast_arrays(_inexact(array(low)), _inexact(array(high)))
    let dtype = _wide(zeros((), dtype=result_type(a, b))).dtype
    let value = fn(x) {
        let y = f(x, *args)
        if not _is_numeric(y) or _joined_shape(y, x) != array(y).shape {
            _refuse("`optim.root_scalar` needs a function that works element by element, got {_type(y)} for {_type(x)}")
        }
        array(y).astype(dtype)
    }
    let shape = value(a.astype(dtype)).shape
    let (a, b) = (broadcast_to(a.astype(dtype), shape), broadcast_to(b.astype(dtype), shape))
    let (x, (iterations, converged)) = custom_root(
        value,
        a,
        fn(f, a) = _chandrupatla(f, a, stop_gradient(b), most, xtol),
        fn(g, y) = y / g(ones_like(y)),
        has_aux=true,
    )
    {x: x, value: value(x), iterations: iterations, converged: converged}
}
## The shape to which x and y broadcast.
fn _joined_shape(x, y) = broadcast_shapes(array(x).shape, array(y).shape)
fn _chandrupatla(f, a, b, most, xtol) {
    let eps = finfo(a).eps
    # x1 is the last point, x2 the other end of the interval, x3 the point before them.
    mut (x1, x2, x3) = (b, a, a)
    mut (f1, f2, f3) = (f(b), f(a), f(a))
    let bad = isnan(f1) or isnan(f2) or (sign(f1) == sign(f2) and f1 != 0)
    mut t = full(a.shape, 0.5, dtype=a.dtype)
    mut iterations = zeros(a.shape, dtype=i32)
    let ended = fn(x1, x2, f1, f2) {
        let width = abs(x2 - x1)
        let best = where(abs(f1) < abs(f2), x1, x2)
        let tolerance = 2 * eps * abs(best) + xtol / 2
        (
            bad or f1 == 0 or f2 == 0 or width <= 2 * tolerance,
            tolerance / where(width == 0, 1, width),
        )
    }
    mut (done, least) = ended(x1, x2, f1, f2)
    mut n = 0
    while n < most and not all(done) {
        let x = where(done, x1, x1 + t * (x2 - x1))
        let y = f(x)
        let same = sign(y) == sign(f1)
        let (x3_new, f3_new) = (where(same, x1, x2), where(same, f1, f2))
        let (x2_new, f2_new) = (where(same, x2, x1), where(same, f2, f1))
        x1 = where(done, x1, x)
        f1 = where(done, f1, y)
        (x2, x3) = (where(done, x2, x2_new), where(done, x3, x3_new))
        (f2, f3) = (where(done, f2, f2_new), where(done, f3, f3_new))
        iterations = where(done, iterations, n + 1)
        let (ends, part) = ended(x1, x2, f1, f2)
        done = done or ends
        least = part
        t = clip(_interpolated((x1, x2, x3), (f1, f2, f3)), least, 1 - least)
        n += 1
    }
    (where(bad, nan, where(abs(f1) <= abs(f2), x1, x2)), (iterations, done and not bad))
}
## The place of the next point between x1 (0) and x2 (1): where the inverse parabola through the points is 0 if it is
## monotone, else 1/2.
fn _interpolated((x1, x2, x3), (f1, f2, f3)) {
    let ok =
        isfinite(f1) and
        isfinite(f2) and
        isfinite(f3) and
        f1 != f2 and
        f1 != f3 and
        f2 != f3 and
        x1 != x2 and
        x2 != x3
    let (x1, x2, x3) = (where(ok, x1, 0), where(ok, x2, 1), where(ok, x3, 2))
    let (f1, f2, f3) = (where(ok, f1, -1), where(ok, f2, 1), where(ok, f3, 2))
    let (xi, phi) = ((x1 - x2) / (x3 - x2), (f1 - f2) / (f3 - f2))
    let inverse =
        f1 / (f2 - f1) * (f3 / (f2 - f3)) +
        (x3 - x1) / (x2 - x1) * (f1 / (f3 - f1)) * (f2 / (f3 - f2))
    let smooth = ok and phi * phi < xi and (1 - phi) * (1 - phi) < 1 - xi
    where(smooth, inverse, 0.5)
}

test "minimize, with the derivatives of its solution" {
    let valley = fn({x, y}, a) = a * (y - x ** 2) ** 2 + (1 - x) ** 2
    let found = minimize(valley, {x: f64(-1.2), y: f64(1)}, args=(100.0,))
    assert(found.converged and allclose(found.x.x, 1) and allclose(found.x.y, 1))
    # the minimum of sum exp(x) - b x is at x = log b
    let least = fn(b) = minimize(fn(x) = sum(exp(x) - b * x), zeros(3, dtype=f64))
    let b = f64([1, 2, 3])
    assert(allclose(least(b).x, log(b)) and allclose(grad(fn(b) = least(b).value)(b), -log(b)))
    assert(allclose(grad(fn(b) = sum(least(b).x))(b), 1 / b))
    let falls = minimize(fn(x) = -sum(x), [1.0, 2.0], most=3)
    assert(not falls.converged and falls.iterations == 3)
}

test "root and root_scalar, with the derivatives of the implicit function" {
    let solved = fn(p) = root(
        fn({u, v}) = (u ** 2 + v - p[0], u - v ** 3 + p[1]),
        {u: f64(1), v: f64(1)},
    )
    let (r, p) = (solved(f64([2.5, 0.5])), f64([2.5, 0.5]))
    assert(r.converged and allclose(r.x.u ** 2 + r.x.v, 2.5))
    # d(u, v) = 1 / (6 u v^2 + 1) [[3 v^2, -1], [1, 2 u]] d(p0, -p1)
    assert(allclose(grad(fn(p) = solved(p).x.v)(p)[0], 1 / (6 * r.x.u * r.x.v ** 2 + 1)))
    let cube = fn(a) = root_scalar(fn(x) = x ** 3 - a, f64(0), f64(10))
    let c = cube(f64([8, 27, 0, -1]))
    assert(allclose(c.x[:3], [2, 3, 0], rtol=1e-14) and isnan(c.x[3]) and not c.converged[3])
    assert(allclose(grad(grad(fn(a) = cube(a).x))(f64(8)), -1 / 144))
}
