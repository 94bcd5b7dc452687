# `each(tree)` and `data.batches`: a `for` along axis 0 of all arrays of a tree. The loop is one loop in compiled code, with the values
# of scan, in every transformation.
let set = {x: arange(24.0).reshape(6, 4), y: arange(6)}

# Records, tuples, nested trees, single arrays; names, tuple patterns and record patterns.
for row in each(set) {
    if row.y > 3 { print(row) }
}
for (a, b) in each(([1, 2, 3], [[1.5], [2.5], [3.5]])) { print(a, b, end="; ") }
for {y} in data.batches(set, 3) { print(y, end="; ") }
for x in each([1, 2]) { print(x, end="; ") }
for row in each({p: (arange(2), {q: -arange(2)}), name: "text", none_of: none}) {
    print(row, end="; ")
}
print(len(each(set)), len(data.batches(set, 4)), len(set), [row.x[0] for row in each(set)])
print(tuple(each({a: [1, 2]})), [r.a for r in reversed(each({a: [1, 2]}))])

# The same sums by a compiled loop, an interpreted one, scan, and a loop over the numbers of the rows.
fn fit(w, batches) {
    mut w = w
    for batch in batches { w = w - 0.01 * mean(batch.x @ w - batch.y) * mean(batch.x, axis=0) }
    w
}
fn by_scan(w, batches) = scan(
    fn(w, batch) = (w - 0.01 * mean(batch.x @ w - batch.y) * mean(batch.x, axis=0), none),
    w,
    batches,
)[0]
fn by_number(w, tree) {
    mut w = w
    for i in 0..tree.y.shape[0] {
        w = w - 0.01 * mean(tree.x[i] @ w - tree.y[i]) * mean(tree.x[i], axis=0)
    }
    w
}
let batches = data.batches(set, 2, key=random.key(3))
let w = [0.1, -0.2, 0.3, 0.05]
mut at_top = w
for batch in batches {
    at_top = at_top - 0.01 * mean(batch.x @ at_top - batch.y) * mean(batch.x, axis=0)
}
assert(
    array_equal(fit(w, batches), by_number(w, batches)) and
    array_equal(fit(w, batches), by_scan(w, batches)),
)
assert(allclose(fit(w, batches), at_top))
fn loss(w) = sum(fit(w, batches) ** 2)
fn other(w) = sum(by_number(w, batches) ** 2)
assert(array_equal(grad(loss)(w), grad(other)(w)))
assert(allclose(hessian(loss)(w), hessian(other)(w), rtol=1e-4, atol=1e-6))
assert(allclose(jvp(loss, (w,), (ones(4),))[1], jvp(other, (w,), (ones(4),))[1]))
let many = [w, 2 * w, -w]
assert(
    array_equal(
        vmap(fit, in_axes=(0, none))(many, batches),
        vmap(by_number, in_axes=(0, none))(many, batches),
    ),
)
assert(allclose(vmap(grad(loss))(many), vmap(grad(other))(many)))
# The gradient with regard to the batches has their form, and runs by rows as well.
let floats = each({x: batches.x, y: f32(batches.y)})
let slope = grad(fn(b) = sum(fit(w, b) ** 2))(floats)
let same = grad(fn(b) = sum(by_number(w, b) ** 2))(floats)
assert(
    slope.x.shape == (3, 2, 4) and
    len(slope) == 3 and
    allclose(slope.x, same.x) and
    allclose(slope.y, same.y),
)

# zip, enumerate, reversed and progress; early exits; assignments to carried arrays.
fn weighted(rows, weights) {
    mut total = 0.0
    mut seen = zeros(len(rows))
    for (i, (row, w)) in progress(enumerate(zip(rows, weights))) {
        if row.y == 5 { continue }
        if total > 100 { break }
        total += w * sum(row.x)
        seen[i] = row.y
    }
    (total, seen)
}
print(weighted(each(set), arange(6.0)), weighted(each(set), [0.0, 9, 0, 0, 1, 1]))
fn last_first(rows) {
    for row in reversed(rows) { if row.y < 4 { return row.x } }
    zeros(4)
}
print(
    last_first(each(set)),
    vmap(fn(y) = last_first(each({x: set.x, y})))([arange(6), 4 + arange(6)]),
)

# The mark stays in assignments, calls, branches and loops. Rows, slices and the results of tree_map do not have it.
fn doubled(rows) = tree_map(fn(x) = 2 * x, rows)
fn chosen(c, a, b) = if c > 0 { a } else { b }
mut later = each(doubled(each(set)))
later.y += 1
print(len(later), [r.y for r in later], len(chosen(1, later, each(set))), len({..later}))
fn rotated(rows, n) {
    mut rows = rows
    for _ in 0..n { rows = each(tree_map(fn(x) = roll(x, 1, axis=0), rows)) }
    mut first = -1
    for row in rows { if first < 0 { first = row.y } }
    first
}
print(rotated(each(set), 2), map(fn(row) = row.y + 1, each(set)))

# Without rows, and without iterations.
fn count(rows) { mut n = 0; for _ in rows { n += 1 }; n }
print(
    count(each({a: zeros((0, 3)), b: zeros(0)})),
    count(each({a: zeros((3, 0))})),
    [r.a for r in each({a: zeros((0, 2))})].shape,
)
# A slice along axis 0 is a row: vmap has the values of map.
let wide = each({x: [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], y: ones((3, 2))})
fn over_fields(r) { mut n = 0.0; for (name, v) in r { n += sum(v) }; n }
assert(array_equal(vmap(over_fields)(wide), map(over_fields, wide)) and vmap(len)(wide)[0] == 2)
assert(array_equal(pmap(over_fields)(each({x: ones(2), y: ones(2)})), [2, 2]))
assert(len(vmap(fn(x) = each({x, y: x}))(ones((5, 3)))) == 2 and len(doubled(each(set))) == 2)
for r in each({a: each({b: ones((2, 3)), c: ones((2, 3))})}) { assert(len(r.a) == 2) }
# Custom rules get tangents and cotangents of the form of the arguments.
fn squares(t) {
    mut s = 0.0
    for r in t { s += r.x ** 2 }
    s
}
let by_jvp = custom_jvp(squares, fn(p, d) {
    mut a = 0.0
    for (r, q) in zip(p[0], d[0]) { a += 2 * r.x * q.x }
    (squares(p[0]), a)
})
print(grad(by_jvp)(each({x: [1.0, 2.0, 3.0]})), len(grad(squares)(each({x: [1.0, 2.0, 3.0]}))))

# On devices, each has a part of every batch.
let steps = data.batches({x: arange(16.0), y: arange(16)}, 4)
fn on_device(batches) {
    mut sums = 0.0
    for b in batches { sums += psum(sum(b.x * b.y), "d") }
    sums
}
print(pmap(on_device, axis_name="d", in_axes=1)(each(tree_map(fn(x) = x.reshape(4, 2, 2), steps))))

# devices: 2
# expect: {x: [16, 17, 18, 19], y: 4}
# expect: {x: [20, 21, 22, 23], y: 5}
# expect: 1 [1.5]; 2 [2.5]; 3 [3.5]; [0, 1, 2]; [3, 4, 5]; 1; 2; {p: (0, {q: 0}), name: "text", none_of: none}; {p: (1, {q: -1}), name: "text", none_of: none}; 6 1 2 [0, 4, 8, 12, 16, 20]
# expect: ({a: 1}, {a: 2}) [2, 1]
# expect: (260.0, [0, 1, 2, 3, 0, 0]) (198.0, [0, 1, 0, 0, 0, 0])
# expect: [12, 13, 14, 15] [[12, 13, 14, 15], [0, 0, 0, 0]]
# expect: 6 [1, 3, 5, 7, 9, 11] 6 2
# expect: 4 [1, 2, 3, 4, 5, 6]
# expect: 0 3 (0, 2)
# expect: {x: [2, 4, 6]} 3
# expect: [1240, 1240]
