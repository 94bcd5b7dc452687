# Optimisers. Each is a record {init, update}: state = o.init(params), then (params, state) = o.update(params, state, grads).
# Parameters, gradients and states are trees of one structure. A learning rate is a number or a schedule, a function of the step (0, 1, ...).
# Building blocks as in optax: the update is a chain of transformations of the gradient, the last of which is added to the parameters.

fn _rate(rate, step) = if kind(rate) == "function" { rate(step) } else { rate }

fn _move(params, steps) = tree_map(fn(p, s) = p + s.astype(p.dtype), params, steps)

## optim.apply_updates(params, updates): params + updates, leaf by leaf.
fn apply_updates(params, updates) = _move(params, updates)

## optim.sgd(rate, momentum=0.0, nesterov=false): p - rate * m with m = momentum * m + g.
fn sgd(rate, momentum=0.0, nesterov=false) {
    let init = fn(params) = {step: i32(0), m: tree_map(zeros_like, params)}
    let update = fn(params, state, grads) {
        let lr = _rate(rate, state.step)
        let m = tree_map(fn(m, g) = momentum * m + g, state.m, grads)
        let direction = if nesterov { tree_map(fn(m, g) = momentum * m + g, m, grads) } else { m }
        (tree_map(fn(p, d) = p - lr * d, params, direction), {step: state.step + 1, m: m})
    }
    {init: init, update: update}
}

## optim.momentum(rate, momentum=0.9): sgd with momentum.
fn momentum(rate, momentum=0.9) = sgd(rate, momentum=momentum)

## optim.adam(rate, b1=0.9, b2=0.999, eps=1e-8): Kingma and Ba 2015, with bias correction.
fn adam(rate, b1=0.9, b2=0.999, eps=1e-8) = adamw(rate, b1=b1, b2=b2, eps=eps, weight_decay=0.0)

## optim.adamw(rate, b1=0.9, b2=0.999, eps=1e-8, weight_decay=1e-4): adam whose parameters shrink besides (Loshchilov and Hutter 2019).
fn adamw(rate, b1=0.9, b2=0.999, eps=1e-8, weight_decay=1e-4) {
    let (d1, d2) = (1 - b1, 1 - b2)
    let init = fn(params) =
        {step: i32(0), m: tree_map(zeros_like, params), v: tree_map(zeros_like, params)}
    let update = fn(params, state, grads) {
        let lr = _rate(rate, state.step)
        let t = f32(state.step + 1)
        let m = tree_map(fn(m, g) = b1 * m + d1 * g, state.m, grads)
        let v = tree_map(fn(v, g) = b2 * v + d2 * (g * g), state.v, grads)
        let (c1, c2) = (1 - b1 ** t, 1 - b2 ** t)
        let next = tree_map(
            fn(p, m, v) = p - lr * (m / c1 / (sqrt(v / c2) + eps) + weight_decay * p),
            params,
            m,
            v,
        )
        (next, {step: state.step + 1, m: m, v: v})
    }
    {init: init, update: update}
}

## optim.rmsprop(rate, decay=0.9, eps=1e-8, momentum=0.0): steps divided by the root of the mean squared gradient.
fn rmsprop(rate, decay=0.9, eps=1e-8, momentum=0.0) {
    let init = fn(params) =
        {step: i32(0), v: tree_map(zeros_like, params), m: tree_map(zeros_like, params)}
    let update = fn(params, state, grads) {
        let lr = _rate(rate, state.step)
        let v = tree_map(fn(v, g) = decay * v + (1 - decay) * g * g, state.v, grads)
        let m = tree_map(fn(m, g, v) = momentum * m + g * rsqrt(v + eps), state.m, grads, v)
        (tree_map(fn(p, d) = p - lr * d, params, m), {step: state.step + 1, v: v, m: m})
    }
    {init: init, update: update}
}

## optim.adagrad(rate, initial=0.1, eps=1e-7): steps divided by the root of the summed squares.
fn adagrad(rate, initial=0.1, eps=1e-7) {
    let init = fn(params) = {step: i32(0), v: tree_map(fn(p) = full_like(p, initial), params)}
    let update = fn(params, state, grads) {
        let lr = _rate(rate, state.step)
        let v = tree_map(fn(v, g) = v + g * g, state.v, grads)
        (
            tree_map(fn(p, g, v) = p - lr * g * rsqrt(v + eps), params, grads, v),
            {step: state.step + 1, v: v},
        )
    }
    {init: init, update: update}
}

## optim.lion(rate, b1=0.9, b2=0.99, weight_decay=0.0): the sign of an average of gradients (Chen et al. 2023).
fn lion(rate, b1=0.9, b2=0.99, weight_decay=0.0) {
    let init = fn(params) = {step: i32(0), m: tree_map(zeros_like, params)}
    let update = fn(params, state, grads) {
        let lr = _rate(rate, state.step)
        let next = tree_map(
            fn(p, m, g) = p - lr * (sign(b1 * m + (1 - b1) * g) + weight_decay * p),
            params,
            state.m,
            grads,
        )
        (
            next,
            {step: state.step + 1, m: tree_map(fn(m, g) = b2 * m + (1 - b2) * g, state.m, grads)},
        )
    }
    {init: init, update: update}
}

## optim.clipped(optimiser, norm): the optimiser, given gradients of no more than this global norm.
fn clipped(optimiser, norm) = {
    init: optimiser.init,
    update: fn(params, state, grads) =
        optimiser.update(params, state, clip_by_global_norm(grads, norm)),
}

# ---- gradients

## optim.global_norm(tree): the root of the sum of all squares.
fn global_norm(tree) = sqrt(tree_reduce(fn(a, leaf) = a + sum(leaf * leaf), tree, 0.0))

## optim.clip_by_global_norm(tree, norm): the tree, made smaller where its global norm is greater.
fn clip_by_global_norm(tree, norm) {
    let found = global_norm(tree)
    let factor = where(found > norm, norm / where(found > norm, found, 1.0), 1.0)
    tree_map(fn(g) = g * factor, tree)
}

## optim.clip_by_value(tree, limit): every element between -limit and limit.
fn clip_by_value(tree, limit) = tree_map(fn(g) = clip(g, -limit, limit), tree)

# ---- schedules: functions of the step

## optim.constant(value): the schedule that is always value.
fn constant(value) = fn(step) = value

## optim.exponential_decay(value, steps, factor): value * factor ** (step / steps).
fn exponential_decay(value, steps, factor) = fn(step) = value * factor ** (f32(step) / steps)

## optim.linear(from, to, steps): a straight line, then `to`.
fn linear(first, last, steps) = fn(step) = first + (last - first) * minimum(f32(step) / steps, 1.0)

## optim.cosine_decay(value, steps, alpha=0.0): half a cosine from value down to alpha * value.
fn cosine_decay(value, steps, alpha=0.0) =
    fn(step) = value * (alpha + (1 - alpha) * 0.5 * (1 + cos(pi * minimum(f32(step) / steps, 1.0))))

## optim.warmup_cosine(value, warmup, steps): a line up from 0 over `warmup` steps, then half a cosine down to 0 at `steps`.
fn warmup_cosine(value, warmup, steps) = fn(step) {
    let t = f32(step)
    let up = value * t / warmup
    let down = value * 0.5 * (1 + cos(pi * clip((t - warmup) / (steps - warmup), 0.0, 1.0)))
    where(t < warmup, up, down)
}

## optim.piecewise_constant(value, boundaries, factors): value, times each factor from its boundary on.
fn piecewise_constant(value, boundaries, factors) = fn(step) {
    mut v = value
    for (b, f) in tuple(zip(boundaries, factors)) { v = where(step >= b, v * f, v) }
    v
}

fn _reach(optimiser, steps) {
    let loss = fn(p) = sum((p.w - [1.0, -2.0]) ** 2) + (p.b - 3.0) ** 2
    let start = {w: zeros(2), b: 0.0 * ones(())}
    mut params = start
    mut state = optimiser.init(start)
    for _ in 0..steps { (params, state) = optimiser.update(params, state, grad(loss)(params)) }
    loss(params)
}

test "every optimiser finds the bottom of a bowl" {
    assert(_reach(sgd(0.1), 100) < 1e-6)
    assert(_reach(sgd(0.05, momentum=0.9), 200) < 1e-4)
    assert(_reach(sgd(0.05, momentum=0.9, nesterov=true), 200) < 1e-4)
    assert(_reach(adam(0.1), 300) < 1e-4)
    assert(_reach(rmsprop(0.02), 400) < 1e-2)
    assert(_reach(adagrad(1.0), 300) < 1e-3)
    assert(_reach(adam(cosine_decay(0.3, 200)), 200) < 1e-3)
    assert(_reach(clipped(sgd(0.1), 1.0), 200) < 1e-6)
}

test "the first step of adam has the size of the rate" {
    let o = adam(0.1)
    let (p, _) = o.update(1.0 * ones(()), o.init(1.0 * ones(())), 5.0 * ones(()))
    assert(allclose(p, 0.9))
}

test "clip_by_global_norm keeps small gradients" {
    let small = {a: [0.3, 0.4], b: zeros(1)}
    assert(allclose(clip_by_global_norm(small, 1.0).a, small.a))
    assert(allclose(global_norm(clip_by_global_norm({a: [30.0, 40.0], b: zeros(1)}, 1.0)), 1))
}
