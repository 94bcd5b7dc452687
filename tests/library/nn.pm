# nn: activations, layers, cells and losses at known places; tests/oracle/module_values.pm compares with JAX.

test "activations at known places" {
    assert(allclose(nn.relu([-1.0, 0.0, 2.0]), [0, 0, 2]))
    assert(
        isnan(nn.relu6(nan)) and
        isnan(nn.hard_sigmoid(nan)) and
        allclose(nn.relu6([-1.0, 3.0, 7.0]), [0, 3, 6]),
    )
    assert(grad(nn.relu6)(6.0) == 0 and grad(nn.relu6)(5.0) == 1 and grad(nn.relu6)(0.0) == 0)
    assert(allclose(nn.sigmoid(0.0), 0.5))
    assert(allclose(nn.softplus([0.0, 100.0]), [log(2.0), 100]))
    assert(
        allclose(nn.gelu(1.0), 0.841192) and allclose(nn.gelu(1.0, approximate=false), 0.8413447),
    )
    assert(allclose(nn.elu(-1.0), exp(-1.0) - 1))
    assert(allclose(sum(nn.softmax([1.0, 2.0, 1000.0])), 1))
    assert(allclose(exp(nn.log_softmax([1.0, 2.0, 3.0])), nn.softmax([1.0, 2.0, 3.0])))
}

test "layer_norm has mean 0 and variance 1" {
    let x = random.normal(random.key(0), (5, 64)) * 3 + 2
    let y = nn.layer_norm(x, ones(64), zeros(64))
    assert(allclose(mean(y, axis=-1), 0, atol=1e-5) and allclose(var(y, axis=-1), 1, atol=1e-4))
}

test "cross_entropy of class numbers is that of their one_hot" {
    let logits = random.normal(random.key(1), (6, 4))
    let labels = [0, 3, 2, 1, 1, 0]
    assert(
        allclose(
            nn.cross_entropy(logits, labels),
            nn.softmax_cross_entropy(logits, one_hot(labels, 4)),
        ),
    )
}

test "dropout keeps the mean" {
    let y = nn.dropout(random.key(2), ones((100, 100)), 0.25)
    assert(abs(mean(y) - 1) < 0.03)
}

test "dropout at its ends, and in any dtype" {
    let x = ones((3, 4), dtype=bf16)
    assert(
        array_equal(nn.dropout(random.key(0), x, 0.0), x) and
        nn.dropout(random.key(0), x, 0.5).dtype == bf16,
    )
    assert(
        all(nn.dropout(random.key(0), x, 1.0) == 0) and
        array_equal(nn.dropout(random.key(0), x, 0.5, train=false), x),
    )
    assert(isfinite(grad(fn(r) = sum(nn.dropout(random.key(0), ones(4), r)))(1.0)))
}

test "batch_norm standardizes, keeps running values and works over devices" {
    let x = random.normal(random.key(3), (8, 5, 3)) * 2 + 1
    let (p, state) = nn.batch_norm_init(3)
    let (y, next) = nn.batch_norm(p, state, x, momentum=0.9)
    assert(
        allclose(mean(y, axis=(0, 1)), 0, atol=1e-5) and
        allclose(var(y, axis=(0, 1)), 1, atol=1e-3),
    )
    assert(allclose(next.mean, 0.1 * mean(x, axis=(0, 1)), atol=1e-6))
    assert(allclose(next.var, 0.9 + 0.1 * var(x, axis=(0, 1)), atol=1e-5))
    let (z, same) = nn.batch_norm(p, next, x, train=false)
    assert(
        allclose(z, (x - next.mean) / sqrt(next.var + 1e-5), atol=1e-5) and
        tree.allclose(same, next),
    )
    # each lane has two of the rows; the batch is all eight
    let lane = fn(part) = nn.batch_norm(p, state, part, momentum=0.9, axis_name="lanes")
    let (parts, kept) = vmap(lane, axis_name="lanes", out_axes=(0, none))(x.reshape(4, 2, 5, 3))
    assert(allclose(parts.reshape(x.shape), y, atol=1e-5) and tree.allclose(kept, next, rtol=1e-4))
    # the state has no derivative
    assert(all(grad(fn(x) = sum(nn.batch_norm(p, state, x)[1].mean))(x) == 0))
}

test "group_norm standardizes each group" {
    let x = random.normal(random.key(4), (2, 5, 6)) * 3
    let y = nn.group_norm(x, 2, ones(6), zeros(6)).reshape(2, 5, 2, 3)
    assert(
        allclose(mean(y, axis=(1, 3)), 0, atol=1e-5) and
        allclose(var(y, axis=(1, 3)), 1, atol=1e-3),
    )
    assert(
        allclose(
            nn.group_norm(x, 6, 2 * ones(6), ones(6))[0, :, 3],
            2 * nn.standardize(x[0, :, 3]) + 1,
            atol=1e-5,
        ),
    )
}

test "embedding takes rows, and its derivative adds up what each row got" {
    let p = nn.embedding_init(random.key(5), 6, 4)
    assert(p.w.shape == (6, 4) and array_equal(nn.embedding(p, [[1, 5], [1, 0]])[0, 1], p.w[5]))
    let g = grad(fn(p) = sum(nn.embedding(p, [1, 5, 1])))(p)
    assert(array_equal(g.w[:, 0], [0, 2, 0, 0, 0, 1]))
}

test "attention under a mask sees only what it may" {
    let (q, k, v) = (random.normal(key, (2, 5, 4)) for key in tuple(random.split(random.key(6), 3)))
    let y = nn.attention(q, k, v, mask=nn.causal_mask(5))
    assert(allclose(y[:, 0], v[:, 0], atol=1e-6))
    assert(allclose(y[:, 2], nn.attention(q[:, 2:3], k[:, :3], v[:, :3])[:, 0], atol=1e-5))
    # later positions get no cotangent
    let g = grad(fn(v) = sum(nn.attention(q, k, v, mask=nn.causal_mask(5))[:, 1]))(v)
    assert(all(g[:, 2:] == 0) and any(g[:, :2] != 0))
}

test "one head of multi_head_attention is attention between dense layers" {
    let p = nn.multi_head_attention_init(random.key(7), 6)
    let (x, y) = (random.normal(random.key(8), (3, 4, 6)), random.normal(random.key(9), (3, 5, 6)))
    let one = nn.attention(nn.dense(p.q, x), nn.dense(p.k, y), nn.dense(p.v, y))
    assert(allclose(nn.multi_head_attention(p, x, y, 1), nn.dense(p.o, one), atol=1e-5))
    let two = nn.multi_head_attention(p, x, x, 2, mask=nn.causal_mask(4))
    assert(two.shape == (3, 4, 6))
    assert(allclose(two[:, 0], nn.dense(p.o, nn.dense(p.v, x[:, 0])), atol=1e-5))
}

test "cells step by step and by scan, under vmap and grad" {
    let xs = random.normal(random.key(10), (4, 2, 3))
    let run = fn(cell, start) = fn(p) = scan(fn(c, x) = cell(p, c, x), start, xs)[1]
    for (cell, init, start) in (
        (nn.rnn_cell, nn.rnn_init, zeros((2, 5))),
        (nn.gru_cell, nn.gru_init, zeros((2, 5))),
        (nn.lstm_cell, nn.lstm_init, (zeros((2, 5)), zeros((2, 5)))),
    ) {
        let p = init(random.key(11), 3, 5)
        let ys = run(cell, start)(p)
        assert(ys.shape == (4, 2, 5) and all(abs(ys) <= 1))
        let (carry, first) = cell(p, start, xs[0])
        assert(
            allclose(first, ys[0], atol=1e-6) and
            allclose(cell(p, carry, xs[1])[1], ys[1], atol=1e-6),
        )
        # a single row of the batch
        let alone = cell(p, tree_map(fn(a) = a[0], start), xs[0, 0])[1]
        assert(allclose(alone, first[0], atol=1e-6))
        let slope = grad(fn(p) = sum(run(cell, start)(p) ** 2))(p)
        assert(slope.wh.shape == p.wh.shape and any(slope.wh != 0))
    }
}

test "an LSTM whose gates are open adds up, a GRU whose gate is shut keeps" {
    let p = {wx: zeros((1, 4)), wh: zeros((1, 4)), b: [50.0, 50.0, 50.0, 50.0]}
    let ((c, _), h) = nn.lstm_cell(p, ([2.0], [0.0]), [1.0])
    assert(allclose(c, 3) and allclose(h, tanh(3.0)))
    let shut = {wx: zeros((1, 3)), wh: zeros((1, 3)), b: [0.0, 50.0, 0.0], bn: zeros(1)}
    assert(allclose(nn.gru_cell(shut, [0.7], [9.0])[0], 0.7))
}

test "initialisers have their spread" {
    let w = nn.orthogonal_init(2.0)(random.key(12), (3, 2, 4))
    assert(allclose(w.reshape(6, 4).T @ w.reshape(6, 4), 4 * eye(4), atol=1e-5))
    assert(abs(std(nn.normal_init(0.1)(random.key(13), (50, 50))) - 0.1) < 0.01)
    assert(
        all(nn.constant_init(3)(random.key(0), (2,)) == 3) and
        nn.ones_init(random.key(0), (2,), f16).dtype == f16,
    )
    let e = nn.embedding_init(random.key(14), 100, 25).w
    assert(abs(std(e) - 0.2) < 0.02)
}

test "losses" {
    assert(allclose(nn.log_cosh([0.5, -40.0], 0.0), [log(cosh(0.5)), 40 - log(2.0)], atol=1e-6))
    assert(allclose(nn.log_cosh([1, 2], 0), log(cosh([1.0, 2.0])), atol=1e-6))  # integers: errors are floats
    assert(array_equal(nn.hinge([0.5, 2.0, -1.0], [1, 1, 1]), [0.5, 0, 2]))
    assert(
        allclose(
            nn.kl_divergence(log([0.25, 0.75]), [0.5, 0.5]),
            0.5 * log(0.5 / 0.25) + 0.5 * log(0.5 / 0.75),
        ),
    )
    assert(allclose(nn.kl_divergence(log([0.5, 0.5]), [1.0, 0.0]), log(2.0)))
    assert(allclose(nn.kl_divergence(log([1.0, 0.0]), [1.0, 0.0]), 0.0))
    assert(nn.kl_divergence([nan, 0.0], [0.0, 1.0]) == 0)
    let slopes = grad(nn.kl_divergence)(log([1.0, 0.0]), [1.0, 0.0])
    assert(allclose(slopes, [-1.0, 0.0]))
    assert(allclose(nn.cosine_similarity([[1.0, 1.0], [0.0, 0.0]], [1.0, 0.0]), [sqrt(0.5), 0]))
    assert(allclose(nn.smooth_labels([1.0, 0.0], 0.1), [0.95, 0.05]))
    assert(allclose(nn.huber([0.5, 3.0], 0.0), [0.125, 2.5]))
}

test "norms of halves are those of f32" {
    for dtype in (f16, bf16) {
        let x = array([[300.0, -300.0, 400.0], [1000.0, 2000.0, -500.0]]).astype(dtype)
        let (one, zero) = (ones(3, dtype=dtype), zeros(3, dtype=dtype))
        let near = fn(y, exact) = y.dtype == dtype and allclose(f32(y), exact, rtol=1e-2)
        assert(near(nn.standardize(x), nn.standardize(f32(x))))
        assert(near(nn.layer_norm(x, one, zero), nn.layer_norm(f32(x), ones(3), zeros(3))))
        assert(near(nn.rms_norm(x, one), nn.rms_norm(f32(x), ones(3))))
        assert(near(nn.group_norm(x, 1, one, zero), nn.group_norm(f32(x), 1, ones(3), zeros(3))))
        let (p, state) = nn.batch_norm_init(3)
        let (q, halves) = nn.batch_norm_init(3, dtype=dtype)
        let (y, next) = nn.batch_norm(q, state, x)
        let (exact, kept) = nn.batch_norm(p, state, f32(x))
        assert(near(y, exact) and tree.allclose(next, kept, rtol=1e-5))
        assert(
            near(
                nn.batch_norm(q, halves, x, train=false)[0],
                nn.batch_norm(p, state, f32(x), train=false)[0],
            ),
        )
    }
}

test "hard_tanh at its corners" {
    assert(grad(nn.hard_tanh)(1.0) == 1 and grad(nn.hard_tanh)(-1.0) == 1)
    assert(grad(nn.hard_tanh)(1.5) == 0 and isnan(nn.hard_tanh(nan)))
    assert(array_equal(nn.hard_tanh([-3.0, -1.0, 0.5, 2.0]), [-1, -1, 0.5, 1]))
}

test "whole numbers are computed as floats, so that their squares do not wrap" {
    assert(nn.gelu(100000) == 100000.0 and nn.gelu([100000])[0] == 100000)
    assert(allclose(nn.squareplus(100000), 100000.0))
    assert(nn.mse([100000, 0], [0, 0]) == 5e9 and nn.cosine_similarity([100000], [1]) == 1)
    assert(allclose(nn.huber([100000], [0], delta=100000), [5e9]))
    assert(allclose(tree.norm({a: 100000, b: [0, 100000]}), sqrt(2.0) * 1e5))
    assert(allclose(optim.global_norm([3 + 4j]), 5.0))
}

test "attention by blocks is attention, with its derivatives" {
    let normal = fn(i, shape) = f64(random.normal(random.key(i), shape))
    let (q, k, v) = (normal(0, (2, 5, 4, 3)), normal(1, (2, 7, 2, 3)), normal(2, (2, 7, 2, 2)))
    let (bias, mask) = (normal(3, (4, 5, 7)), normal(4, (2, 1, 1, 7)) > -0.5)
    let first = fn(a) = swapaxes(repeat(a, 4 // a.shape[2], axis=2), 1, 2)
    fn by_blocks(q, k, v, bias) = nn.dot_product_attention(q, k, v, bias=bias, mask=mask, block=3)
    fn at_once(q, k, v, bias) {
        let scores = where(mask, first(q) @ first(k).mT / sqrt(3.0) + bias, -1e300)
        swapaxes(nn.softmax(scores) @ first(v), 1, 2)
    }
    assert(allclose(by_blocks(q, k, v, bias), at_once(q, k, v, bias), rtol=1e-12))
    let slopes = fn(f) = grad(fn(*all) = sum(f(*all) ** 2), argnums=(0, 1, 2, 3))(q, k, v, bias)
    assert(tree.allclose(slopes(by_blocks), slopes(at_once), rtol=1e-10))
    let near = nn.dot_product_attention(
        q[0],
        k[0],
        v[0],
        is_causal=true,
        local_window_size=(1, 0),
        block=2,
    )
    let (row, column) = (arange(5)[:, none], arange(7))
    let band = column <= row and column >= row - 1
    let (y, lse) = nn.dot_product_attention(q, k, v, mask=band[none, none], return_residual=true)
    assert(allclose(near, y[0], rtol=1e-12) and lse.shape == (2, 5, 4))
    let short =
        nn.dot_product_attention(q, k, v, key_value_seq_lengths=[7, 3], query_seq_lengths=[2, 5])
    let cut = nn.dot_product_attention(q[1], k[1, :3], v[1, :3])
    assert(allclose(short[1], cut, rtol=1e-12) and all(short[0, 2:] == 0))
    assert(nn.dot_product_attention(f16(q), f16(k), f16(v)).dtype == f16)
}

test "initialisers and functions of exponentials" {
    let w = nn.delta_orthogonal_init()(random.key(0), (3, 4, 2, 5))
    assert(allclose(w[1, 1] @ w[1, 1].T, eye(2), atol=1e-6) and allclose(sum(w ** 2), 2))
    let t = nn.truncated_normal_init(0.5, upper=1.0)(random.key(0), (200,))
    assert(min(t) >= -1 and max(t) <= 0.5 and max(t) > 0.4)
    assert(
        array_equal(nn.kaiming_normal(random.key(1), (3, 4)), nn.he_normal(random.key(1), (3, 4))),
    )
    assert(
        array_equal(
            nn.kaiming_uniform(random.key(1), (3, 4)),
            nn.he_uniform(random.key(1), (3, 4)),
        ),
    )
    let geometric = nn.variance_scaling(1.0, "fan_geo_avg", "uniform")(random.key(1), (4, 9))
    assert(max(abs(geometric)) < sqrt(3 / 6))
    let x = [[0.0, 1000.0], [1.0, 2.0]]
    assert(allclose(nn.logmeanexp(x, axis=1), [999.30685, 1.6201146]))
    assert(nn.logmeanexp(x, where=[[true, false], [false, false]]) == 0)
    assert(allclose(nn.log1mexp([1e-10, 1.0, 50.0]), [-23.02585, -0.4586751, -1.9287498e-22]))
    let s = [-2.0, -0.5, 0.0, 0.5, 2.0]
    assert(allclose(vmap(grad(nn.sparse_plus))(s), nn.sparse_sigmoid(s)))
}

test "parameters of f64, norms without bias, groups by name" {
    let key = random.key(0)
    for p in (
        nn.mlp_init(key, (2, 3), dtype=f64),
        nn.dense_init(key, 2, 3, dtype=f64),
        nn.conv_init(key, (3,), 2, 3, dtype=f64),
        nn.multi_head_attention_init(key, 4, dtype=f64),
        nn.rnn_init(key, 2, 3, dtype=f64),
        nn.gru_init(key, 2, 3, dtype=f64),
        nn.lstm_init(key, 2, 3, dtype=f64),
    ) {
        for x in tree.leaves(p) { assert(x.dtype == f64) }
    }
    # the numbers are drawn in f64, not widened from f32
    let w = nn.dense_init(key, 2, 3, dtype=f64).w
    assert(any(f64(f32(w)) != w))
    let (x, p) = (random.normal(key, (2, 3, 4)), nn.group_norm_init(4))
    let y = nn.group_norm(x, 2, ones(4), zeros(4))
    assert(array_equal(nn.group_norm(p, x, groups=2), y))
    assert(array_equal(nn.group_norm(p, x, 2), y) and array_equal(nn.group_norm(x, 2, ones(4)), y))
    assert(array_equal(nn.group_norm(x, groups=2, scale=ones(4)), y))
    assert(array_equal(nn.layer_norm(x, ones(4)), nn.layer_norm(x, ones(4), zeros(4))))
    assert(array_equal(nn.group_norm(x=x, groups=2, scale=ones(4)), y))
    assert(not attempt(nn.group_norm, x, 2).ok and not attempt(nn.group_norm, p, x).ok)
    assert(not attempt(fn() = nn.group_norm(x, 2, ones(4), groups=4)).ok)
    assert(not attempt(fn() = nn.group_norm(p, x, 2, groups=4)).ok)
}
