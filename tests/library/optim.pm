# optim: that optimisers reach the bottom, and what their steps are. tests/oracle/module_values.pm compares steps with the published formulas.

fn _reach(optimiser, steps) {
    let loss = fn(p) = sum((p.w - [1.0, -2.0]) ** 2) + (p.b - 3.0) ** 2
    let start = {w: zeros(2), b: 0.0 * ones(())}
    mut params = start
    mut state = optimiser.init(start)
    for _ in 0..steps { (params, state) = optimiser.update(params, state, grad(loss)(params)) }
    loss(params)
}

test "every optimiser finds the bottom of a bowl" {
    assert(_reach(optim.sgd(0.1), 100) < 1e-6)
    assert(_reach(optim.sgd(0.05, momentum=0.9), 200) < 1e-4)
    assert(_reach(optim.sgd(0.05, momentum=0.9, nesterov=true), 200) < 1e-4)
    assert(_reach(optim.adam(0.1), 300) < 1e-4)
    assert(_reach(optim.rmsprop(0.02), 400) < 1e-2)
    assert(_reach(optim.adagrad(1.0), 300) < 1e-3)
    assert(_reach(optim.adam(optim.cosine_decay(0.3, 200)), 200) < 1e-3)
    assert(_reach(optim.clipped(optim.sgd(0.1), 1.0), 200) < 1e-6)
}

test "the first step of adam has the size of the rate" {
    let o = optim.adam(0.1)
    let (p, _) = o.update(1.0 * ones(()), o.init(1.0 * ones(())), 5.0 * ones(()))
    assert(allclose(p, 0.9))
}

test "clip_by_global_norm keeps small gradients" {
    let small = {a: [0.3, 0.4], b: zeros(1)}
    assert(allclose(optim.clip_by_global_norm(small, 1.0).a, small.a))
    assert(
        allclose(
            optim.global_norm(optim.clip_by_global_norm({a: [30.0, 40.0], b: zeros(1)}, 1.0)),
            1,
        ),
    )
}

test "parameters and states keep their dtypes and structure" {
    for o in (
        optim.sgd(0.1),
        optim.momentum(0.1),
        optim.adam(0.1),
        optim.adamw(0.1),
        optim.rmsprop(0.1),
        optim.adagrad(0.1),
        optim.lion(0.1),
        optim.clipped(optim.adam(optim.cosine_decay(0.1, 10)), 1.0),
    ) {
        for start in ({w: bf16([1.0, -2.0]), b: (f32(1.0), ())}, (f64([1.0]),), f16([2.0])) {
            mut params = start
            mut state = o.init(start)
            for _ in 0..3 { (params, state) = o.update(params, state, params) }
            assert(
                tree.all(
                    tree_map(
                        fn(a, b) = a.dtype == b.dtype and all(isfinite(a)) and all(abs(a) < abs(b)),
                        params,
                        start,
                    ),
                ),
            )
            assert(state.step == 3)
        }
    }
    # integers become floats before the first step
    let o = optim.sgd(0.5)
    assert(array_equal(o.update([1, 2], o.init([1, 2]), [1, 1])[0], [0.5, 1.5]))
}

test "under vmap and pmap" {
    let o = optim.adam(0.1)
    let step = fn(p) = o.update(p, o.init(p), 2 * p)[0]
    let p = random.normal(random.key(0), (4, 3))
    let each = stack((step(p[0]), step(p[1]), step(p[2]), step(p[3])))
    assert(allclose(vmap(step)(p), each) and allclose(pmap(step)(p), each))
}

test "schedules at their ends and beyond" {
    assert(optim.constant(0.3)(7) == 0.3)
    let line = optim.linear(1.0, 0.2, 4)
    assert(allclose(stack((line(0), line(2), line(4), line(9))), [1.0, 0.6, 0.2, 0.2]))
    let curve = optim.polynomial(1.0, 0.0, 2, 4)
    assert(allclose(stack((curve(0), curve(2), curve(5))), [1.0, 0.25, 0.0]))
    let half = optim.cosine_decay(2.0, 10, alpha=0.1)
    assert(allclose(stack((half(0), half(5), half(10), half(20))), [2.0, 1.1, 0.2, 0.2]))
    let warm = optim.warmup_cosine(1.0, 2, 6)
    assert(
        allclose(
            stack((warm(0), warm(1), warm(2), warm(4), warm(6))),
            [0, 0.5, 1, 0.5, 0],
            atol=1e-6,
        ),
    )
    assert(optim.warmup_cosine(1.0, 0, 6)(0) == 1)
    let steps = optim.piecewise_constant(1.0, (2, 4), (0.5, 0.1))
    assert(allclose(stack((steps(1), steps(2), steps(4))), [1.0, 0.5, 0.05]))
    assert(allclose(optim.exponential_decay(1.0, 10, 0.5)(20), 0.25))
    let both = optim.joined((optim.constant(1.0), optim.linear(1.0, 0.0, 2)), (3,))
    assert(allclose(stack((both(2), both(3), both(4), both(9))), [1, 1, 0.5, 0]))
    # the step may be a computed number, inside a compiled loop
    assert(allclose(jit(fn(n) = line(n))(2), 0.6))
}

test "clipping keeps dtypes and is smooth at 0" {
    let g = optim.clip_by_global_norm({a: f16([300.0, 400.0])}, 5.0)
    assert(g.a.dtype == f16 and allclose(f32(g.a), [3, 4], rtol=1e-3))
    assert(
        array_equal(grad(fn(x) = sum(optim.clip_by_global_norm({a: x}, 1.0).a))(zeros(2)), [1, 1]),
    )
    assert(array_equal(optim.clip_by_value([-3.0, 0.5, 3.0], 1.0), [-1, 0.5, 1]))
}

test "momentum of rmsprop keeps the rates of earlier steps" {
    # the second step has rate 0: it only repeats half of the first
    let o = optim.rmsprop(fn(step) = where(step == 0, 0.1, 0.0), momentum=0.5)
    let start = [1.0, -2.0]
    let (p, state) = o.update(start, o.init(start), start)
    let (q, _) = o.update(p, state, start)
    assert(allclose(q - p, 0.5 * (p - start)) and all(p != start))
}

test "numbers of 64 bits take steps of 64 bits" {
    let start = f64([1.0, -2.0])
    let o = optim.adam(0.1, eps=0.0)
    mut (p, state) = (start, o.init(start))
    for _ in 0..3 { (p, state) = o.update(p, state, f64([3.0, -0.5])) }
    # for equal gradients every step has the size of the rate
    assert(allclose(p, f64([0.7, -1.7]), rtol=1e-12, atol=0))
}

test "Adam adds eps to the root, not under it" {
    # the first step is rate * g / (|g| + eps)
    let o = optim.adam(0.1, eps=1.0)
    let start = [1.0, -2.0]
    let (p, _) = o.update(start, o.init(start), [3.0, -1.0])
    assert(allclose(p, [0.925, -1.95]))
}

test "weight decay follows a mask, and averages follow parameters" {
    let p = {w: [1.0, 2.0], b: 1.0}
    let zero = tree.zeros_like(p)
    let matrices = fn(t) = tree.map(fn(x) = x.ndim > 0, t)
    for o in (
        optim.adamw(0.1, weight_decay=0.5, mask=matrices),
        optim.lion(0.1, weight_decay=0.5, mask={w: true, b: false}),
    ) {
        let (q, _) = o.update(p, o.init(p), zero)
        assert(allclose(q.w, [0.95, 1.9]) and q.b == 1)
    }
    let wrong = fn(mask) {
        let o = optim.adamw(0.1, mask=mask)
        attempt(o.update, p, o.init(p), zero).ok
    }
    assert(not wrong({w: true}) and not wrong({w: true, b: [true]}) and not wrong({w: 1, b: true}))
    let e = optim.ema(p, {w: [3.0, 3.0], b: 2}, decay=0.9)
    assert(allclose(e.w, [1.2, 2.1]) and allclose(e.b, 1.1) and e.w.dtype == f32)
    assert(not attempt(optim.ema, p, {w: 3.0, b: 2}).ok)
}
