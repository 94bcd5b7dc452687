# Functions whose number arguments must be known have the same values under every transformation.

fn _calls(x) = (
    broadcast_in_dim(x, (2, 3, 4), (1, 2)),
    broadcast_to(x, (2, 3, 4)),
    collapse(x, 0, 2),
    slice(x, (0, 1), (2, 3)),
    dynamic_slice(x, (1, 0), (2, 2)),
    dynamic_slice_in_dim(x, 1, 2),
    dynamic_update_slice(x, 2 * x[:2, :2], (1, 1)),
    reshape(x, (2, -1)),
    transpose(x, (1, 0)),
    swapaxes(x, 0, 1),
    moveaxis(x, 0, 1),
    rollaxis(x, 1),
    expand_dims(x, (0, 3)),
    squeeze(x[:1], 0),
    tile(x, (2, 1)),
    repeat(x, 2, axis=1),
    roll(x, (1, 2), axis=(0, 1)),
    rot90(x, 1),
    flip(x, 0),
    pad(x, ((1, 0), (0, 2))),
    split(x, 2, axis=1),
    array_split(x, 2),
    insert(x, 1, 0.0, axis=0),
    delete(x, 1, axis=0),
    append(x, x, axis=1),
    resize(x, (2, 5)),
    tril(x, -1),
    diagonal(x, 1),
    take(x, (0, 2), axis=0),
    sort(x, axis=0),
    partition(x, 1, axis=0),
    top_k(x, 2)[0],
    diff(x, n=2),
    cumsum(x, axis=1),
    gradient(x, axis=0),
    quantile(x, 0.5, axis=0),
    var(x, axis=(0, 1), ddof=1),
    tensordot(x, x, axes=((0,), (0,))),
    einsum("ij,kj->ik", x, x),
    outer(x[0], x[1]),
    kron(x[:2, :2], x[:1]),
    vander(x[0], 3),
    polyder(x[0], 2),
    polyint(x[0], 2),
    polyfit(x[0], x[1], 2),
    reduce_window(x, 0.0, fn(a, b) = a + b, (2, 2)),
    nn.max_pool(x[none, :, :, none], (2, 2)),
    linalg.norm(x, ord=1, axis=(0, 1)),
    linalg.matrix_power(x[:3, :3], 2),
    signal.detrend(x, axis=0),
    fft.irfft(fft.rfft(x, n=6), n=6),
)

test "plainly, compiled, mapped and differentiated" {
    let x = f64([[0.5, -1.25, 2.0, 0.75], [3.75, -0.5, 0.25, 1.5], [1.0, 2.5, -2.0, 0.125]])
    let due = tree_leaves(_calls(x))
    let (forward, tangents) = jvp(_calls, (x,), (x,))
    let (reverse, pullback) = vjp(_calls, x)
    for found in (
        jit(_calls)(x),
        forward,
        reverse,
        tree_map(fn(y) = y[1], vmap(_calls)(stack((2 * x, x)))),
    ) {
        for (one, other) in zip(tree_leaves(found), due) { assert(allclose(one, other)) }
    }
    # the pullback is the transpose of the map of tangents
    let cotangents = tree_map(cos, due)
    let along = tree_sum(tree_map(fn(t, c) = sum(t * c), tree_leaves(tangents), cotangents))
    assert(allclose(sum(pullback(tree_map(cos, _calls(x)))[0] * x), along))
}
