# Optimisers. Each is a record {init, update}: state = o.init(params), then
# (params, state) = o.update(params, state, grads). Parameters, gradients and the trees in a state have one structure.
# Parameters and state keep their dtypes. A learning rate is a number, or a schedule: a function of the step 0, 1, ...
# The steps are those of optax where it has the optimiser. Tests: tests/library/optim.pm.

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

## Checks the arguments of update: the state is one that init made for `params`, and grads has the same structure and
## leaf shapes as `params`.
fn _fit(params, state, grads) {
    if kind(state) != "record" or not ("step" in state) {
        _refuse("`update` of an optimiser takes (params, state, grads) in this order, got no state of this optimiser's init in the second place: {_tree_type(state)}")
    }
    _same_tree(params, grads, "")
    if "m" in state { _same_state(params, state.m) }
    if "v" in state { _same_state(params, state.v) }
}
## A description of a tree's outermost level for messages.
fn _tree_type(t) {
    if kind(t) == "tuple" { return "a tuple of {len(t)}" }
    if kind(t) == "record" { return "a record of {_text_join(keys(t), ", ")}" }
    if _is_numeric(t) { _type(t) } else { kind(t) }
}
## " at `path`" for messages, or nothing at the root of the tree.
fn _at(path) = if path == "" { "" } else { " at `{path}`" }
fn _inside(path, name) = if path == "" { "{name}" } else { "{path}.{name}" }
fn _same_tree(params, grads, path) {
    let differ = fn() = _refuse(
        "gradients are a tree like the parameters, as grad gives them:{_at(path)} the parameters have {_tree_type(params)}, the gradients {_tree_type(grads)}",
    )
    if _is_numeric(params) {
        if not _is_numeric(grads) { differ() }
        if array(params).shape != array(grads).shape { differ() }
        return 0
    }
    if kind(params) != kind(grads) { differ() }
    if kind(params) == "tuple" {
        if len(params) != len(grads) { differ() }
        for (i, (p, g)) in tuple(enumerate(tuple(zip(params, grads)))) {
            _same_tree(p, g, _inside(path, i))
        }
    }
    if kind(params) == "record" {
        if len(keys(params)) != len(keys(grads)) { differ() }
        for name in keys(params) {
            if not (name in grads) { differ() }
            _same_tree(params[name], grads[name], _inside(path, name))
        }
    }
    0
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

## optim.apply_updates(params, updates): params + updates for each leaf, in the dtype of params. Integers become floats.
fn apply_updates(params, updates) = _move(params, updates)

## optim.sgd(rate, momentum=0.0, nesterov=false): The optimiser of gradient descent, p - rate * m with
## m = momentum * m + g. If nesterov=true the step uses momentum * m + g with the new m instead of m.
fn sgd(rate, momentum=0.0, nesterov=false) {
    let rate = _checked_rate(rate, "optim.sgd")
    let momentum = _one_number(momentum, "the `momentum` of `optim.sgd`")
    fn init(params) = {step: i32(0), m: _zeros(params)}
    fn update(params, state, grads) {
        _fit(params, state, grads)
        let m = _mixed(momentum, state.m, 1, grads)
        let direction = if nesterov { _mixed(momentum, m, 1, grads) } else { m }
        (_down(params, _rate(rate, state.step), direction), {step: state.step + 1, m: m})
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
fn adam(rate, b1=0.9, b2=0.999, eps=1e-8) = _adam(rate, b1, b2, eps, 0.0, "optim.adam")

## optim.adamw(rate, b1=0.9, b2=0.999, eps=1e-8, weight_decay=1e-4): The optimiser Adam with decoupled weight decay.
## The step also subtracts rate * weight_decay * p (Loshchilov and Hutter 2019).
fn adamw(rate, b1=0.9, b2=0.999, eps=1e-8, weight_decay=1e-4) =
    _adam(rate, b1, b2, eps, weight_decay, "optim.adamw")

fn _adam(rate, b1, b2, eps, weight_decay, what) {
    let rate = _checked_rate(rate, what)
    let b1 = _factor(b1, "the `b1` of `{what}`")
    let b2 = _factor(b2, "the `b2` of `{what}`")
    let (d1, d2) = (1 - b1, 1 - b2)
    fn init(params) = {step: i32(0), m: _zeros(params), v: _zeros(params)}
    fn update(params, state, grads) {
        _fit(params, state, grads)
        let m = _mixed(b1, state.m, d1, grads)
        let v = _mixed(b2, state.v, d2, tree_map(fn(g) = g * g, grads))
        let direction = tree_map(
            fn(p, m, v) {
                let (c1, c2) = (_correction(b1, state.step, m), _correction(b2, state.step, v))
                m / c1 / (sqrt(v / c2) + eps) + weight_decay * p
            },
            params,
            m,
            v,
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
    let momentum = _one_number(momentum, "the `momentum` of `optim.rmsprop`")
    fn init(params) = {step: i32(0), v: _zeros(params), m: _zeros(params)}
    fn update(params, state, grads) {
        _fit(params, state, grads)
        let v = _mixed(decay, state.v, 1 - decay, tree_map(fn(g) = g * g, grads))
        let direction = tree_map(fn(g, v) = g * rsqrt(v + eps), grads, v)
        let m = _mixed(momentum, state.m, _rate(rate, state.step), direction)
        (_down(params, 1, m), {step: state.step + 1, v: v, m: m})
    }
    {init: init, update: update}
}

## optim.adagrad(rate, initial=0.1, eps=1e-7): The optimiser AdaGrad, p - rate * g / sqrt(v + eps).
## v is `initial` plus the sum of all squared gradients (Duchi et al. 2011).
fn adagrad(rate, initial=0.1, eps=1e-7) {
    let rate = _checked_rate(rate, "optim.adagrad")
    fn init(params) = {step: i32(0), v: tree_map(fn(z) = z + initial, _zeros(params))}
    fn update(params, state, grads) {
        _fit(params, state, grads)
        let v = _mixed(1, state.v, 1, tree_map(fn(g) = g * g, grads))
        let direction = tree_map(fn(g, v) = g * rsqrt(v + eps), grads, v)
        (_down(params, _rate(rate, state.step), direction), {step: state.step + 1, v: v})
    }
    {init: init, update: update}
}

## optim.lion(rate, b1=0.9, b2=0.99, weight_decay=0.0): The optimiser Lion, which steps by the sign of an average of
## gradients. The parameters become p - rate * (sign(b1 * m + (1 - b1) * g) + weight_decay * p). Then
## m = b2 * m + (1 - b2) * g (Chen et al. 2023).
fn lion(rate, b1=0.9, b2=0.99, weight_decay=0.0) {
    let rate = _checked_rate(rate, "optim.lion")
    let b1 = _factor(b1, "the `b1` of `optim.lion`")
    let b2 = _factor(b2, "the `b2` of `optim.lion`")
    fn init(params) = {step: i32(0), m: _zeros(params)}
    fn update(params, state, grads) {
        _fit(params, state, grads)
        let direction = tree_map(
            fn(p, m, g) = sign(b1 * m + (1 - b1) * g) + weight_decay * p,
            params,
            state.m,
            grads,
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
    fn update(params, state, grads) =
        optimiser.update(params, state, clip_by_global_norm(grads, norm))
    {init: optimiser.init, update: update}
}

# ---- gradients

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
    if not _is_numeric(n) or _known(n) <= 0 {
        _refuse("the `steps` of `{what}` must be more than 0, got {n}")
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
