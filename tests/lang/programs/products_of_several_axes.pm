# Products whose rows, columns, batch or terms are several axes equal products of matrices to the bit, with their epilogues.

fn same(what, found, expected) {
    assert(found.shape == expected.shape and all(found == expected), "{what}: {found.shape}")
}
fn values(shape) = random.normal(random.key(7), shape)
let (x, w) = (values((3, 11, 40)), values((40, 37)))
let (flat, b, r) =
    (x.reshape(33, 40), cos(arange(37.0)), cos(arange(3 * 11 * 37.0)).reshape(3, 11, 37))

# Rows of two axes; the epilogue has a bias, a function, and an array of the product's shape.
fn layer(x, w, b, r) = tanh(x @ w + b) - 0.5 * r
same("rows", jit(layer)(x, w, b, r), jit(layer)(flat, w, b, r.reshape(33, 37)).reshape(3, 11, 37))
# A value for each row; a value for each index of one row axis (a separate step); several results; functions of indices.
let by_row = cos(arange(33.0))
same(
    "a value for each row",
    jit(fn(x, w, c) = x @ w * c[..., none])(x, w, by_row.reshape(3, 11)),
    jit(fn(x, w, c) = x @ w * c[:, none])(flat, w, by_row).reshape(3, 11, 37),
)
let by_place = cos(arange(11 * 37.0)).reshape(11, 37)
same("a value for each place", jit(fn(x, w, c) = x @ w + c)(x, w, by_place), x @ w + by_place)
same(
    "a value for each part",
    jit(fn(x, w, c) = x @ w + c[:, none, none])(x, w, by_row[:3]),
    x @ w + by_row[:3, none, none],
)
let (first, second) = jit(fn(x, w, b) = (x @ w + b, exp(x @ w)))(x, w, b)
same("the first of two", first, x @ w + b)
same("the second of two", second, exp(x @ w))
let later = arange(37)[none, :] < arange(11)[:, none]
same("by place", jit(fn(x, w) = where(later, x @ w, -1))(x, w), where(later, x @ w, -1))

# A batch of two axes, as for attention heads; then columns of two axes.
let (q, k) = (values((2, 3, 18, 20)), values((2, 3, 17, 20)) + 0.1)
fn scores(q, k) = matmul(q, k.mT) / sqrt(20.0) + 1
same(
    "a batch",
    jit(scores)(q, k),
    jit(scores)(q.reshape(6, 18, 20), k.reshape(6, 17, 20)).reshape(2, 3, 18, 17),
)
let heads = (values((40, 5, 8)), cos(arange(40.0)).reshape(5, 8))
let in_heads = jit(fn(x, h, b) = einsum("btd,dhk->bthk", x, h) + b)(x, heads[0], heads[1])
let as_rows = jit(fn(x, h, b) = x @ h + b)(flat, heads[0].reshape(40, 40), heads[1].reshape(40))
same("columns", in_heads, as_rows.reshape(3, 11, 5, 8))

# Products of integers, and of arrays without elements.
let (i, j) = (arange(2 * 5 * 9).reshape(2, 5, 9) % 7, arange(9 * 4).reshape(9, 4))
same(
    "integers",
    jit(fn(i, j) = (i @ j + 3) // 2)(i, j),
    ((i.reshape(10, 9) @ j + 3) // 2).reshape(2, 5, 4),
)
same("no rows", jit(fn(x, w, b) = x @ w + b)(x[:0], w, b), zeros((0, 11, 37)))
same("no terms", jit(fn(x, w, b) = x @ w + b)(x[..., :0], w[:0], b), broadcast_to(b, (3, 11, 37)))

# A descent step, whose product has terms along two axes; layers in a batch, with one weight or separate weights; devices.
fn descent(x, w, r) = w - 0.25 * grad(fn(w) = sum(x @ w * r))(w)
same("terms", jit(descent)(x, w, r), jit(descent)(flat, w, r.reshape(33, 37)))
let (many, others) = (stack((x, -x)), stack((w, w + 1)))
let of_one = jit(vmap(fn(x) = layer(x, w, b, r)))(many)
let of_each = jit(vmap(fn(x, w) = layer(x, w, b, r)))(many, others)
let on_devices = pmap(fn(x, w) = layer(x, w, b, r))(many, others)
for n in 0..2 {
    same("a batch of rows", of_one[n], layer(many[n], w, b, r))
    same("a batch of layers", of_each[n], layer(many[n], others[n], b, r))
    same("on devices", on_devices[n], of_each[n])
}
print("the same")

# expect: the same
