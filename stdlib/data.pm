# Data sets: trees of arrays with one row for each example along axis 0. All arrays have the same number of rows.

## data.shuffle(key, tree): The tree with the rows of every array in one random order.
fn shuffle(key, tree) {
    _need_key(key, "data.shuffle", "(key, tree)")
    let order = random.permutation(key, _row_count(tree, "data.shuffle"))
    tree_map(fn(x) = x[order], tree)
}

## The number of rows in a fraction `part` (0 to 1) of n rows, rounded down.
fn _part(n, part, what) {
    if kind(_known(part)) != "number" {
        _refuse("{what} must be a part from 0 to 1, got {_type(part)}")
    }
    if _known(part) < 0 or _known(part) > 1 {
        _refuse("{what} must be a part from 0 to 1, got {part}")
    }
    int(_known(part) * n)
}
fn _need_key(key, what, form) {
    if not _is_numeric(key) or "{key.dtype}" != "key" {
        _refuse("`{what}` takes {form} in this order, got {_type(key)} for the key: random.key(0) makes one")
    }
}
fn _cut(tree, n) = (tree_map(fn(x) = x[:n], tree), tree_map(fn(x) = x[n:], tree))

## data.split(tree, part): The pair (first, rest) of trees, the first with int(part * rows) rows.
## `part` is from 0 to 1. The order of the rows is kept.
fn split(tree, part) =
    _cut(tree, _part(_row_count(tree, "data.split"), part, "the `part` of `data.split`"))

## data.train_test_split(key, tree, test=0.2): The pair (train, test) of trees of shuffled rows.
## The second has int(test * rows) rows, the first the others. `test` is from 0 to 1.
fn train_test_split(key, tree, test=0.2) {
    _need_key(key, "data.train_test_split", "(key, tree)")
    let n = _row_count(tree, "data.train_test_split")
    _cut(shuffle(key, tree), n - _part(n, test, "the `test` of `data.train_test_split`"))
}

## data.batches(tree, size, key=none): The rows in batches: `each` of a tree of arrays [n // size, size, ...].
## `for` and scan iterate over the batches. `.x` of a record is the array of all batches of `x`.
## With a `key` the rows are shuffled first. The last n % size rows are dropped. `size` is at most n.
fn batches(tree, size, key=none) {
    let rows = _row_count(tree, "data.batches")
    let size = _count(size, "the `size` of `data.batches`", least=1)
    if size > rows {
        _refuse("`data.batches` cannot make one batch of {size} from {_counted(rows, "row", "rows")}")
    }
    let n = rows // size
    let mixed = if key == none { tree } else { shuffle(key, tree) }
    each(tree_map(fn(x) = x[:n * size].reshape((n, size) + x.shape[1:]), mixed))
}

## data.shard(tree, devices): The rows in equal parts, a tree of arrays [devices, n // devices, ...] for pmap.
## An error if `devices` does not divide n.
fn shard(tree, devices) {
    let n = _row_count(tree, "data.shard")
    let d = _count(devices, "the `devices` of `data.shard`", least=1)
    if n % d != 0 {
        _refuse("`data.shard` cannot cut {_counted(n, "row", "rows")} into {d} equal parts")
    }
    tree_map(fn(x) = x.reshape((d, n // d) + x.shape[1:]), tree)
}

## data.one_hot(labels, n): The one-hot encoding of class indices, i32[...] -> f32[..., n].
fn one_hot(labels, n) = nn.one_hot(labels, n)

## data.standardize(train, *others): The arrays f[n, ...] standardized by the columns of `train`, a tuple in the order
## of the arguments. From each array the mean of the columns of `train` is subtracted; the result is divided by their
## standard deviation. Constant columns are not divided.
fn standardize(train, *others) {
    let (m, s) = (mean(train, axis=0), std(train, axis=0))
    let scale = where(s == 0, 1, s)
    ((train - m) / scale,) + ((x - m) / scale for x in others)
}

test "rows stay together" {
    let set = {x: arange(20).reshape(10, 2), y: arange(10)}
    let (a, b) = train_test_split(random.key(0), set, test=0.3)
    assert(a.x.shape == (7, 2) and b.y.shape == (3,))
    assert(all(a.x[:, 0] == 2 * a.y) and all(b.x[:, 0] == 2 * b.y))
    assert(array_equal(sort(concatenate((a.y, b.y))), arange(10)))
    assert(batches(set, 4).x.shape == (2, 4, 2) and len(batches(set, 4)) == 2)
    for (i, batch) in enumerate(batches(set, 4)) { assert(array_equal(batch.y, 4 * i + arange(4))) }
    assert(shard(set, 5).y.shape == (5, 2))
    let mixed = batches(set, 5, key=random.key(1))
    assert(all(mixed.x[:, :, 0] == 2 * mixed.y) and array_equal(sort(ravel(mixed.y)), arange(10)))
    assert(split(set, 0.3)[0].y.shape == (3,) and split(set, 1)[1].y.shape == (0,))
    let (z,) = standardize(f32(set.x))
    assert(allclose(mean(z, axis=0), 0, atol=1e-6) and allclose(std(z, axis=0), 1))
}
