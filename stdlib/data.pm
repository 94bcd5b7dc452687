# Data sets as trees of arrays with one row per example along axis 0.

fn _rows(tree) = len(tree_leaves(tree)[0])

## data.shuffle(key, tree): the rows of every array in one random order.
fn shuffle(key, tree) {
    let order = random.permutation(key, _rows(tree))
    tree_map(fn(x) = x[order], tree)
}

## data.split(tree, part): (first, rest), the first with int(part * rows) rows.
fn split(tree, part) {
    let n = int(part * _rows(tree))
    (tree_map(fn(x) = x[:n], tree), tree_map(fn(x) = x[n:], tree))
}

## data.train_test_split(key, tree, test=0.2): (train, test) of shuffled rows, a part `test` of them in the second.
fn train_test_split(key, tree, test=0.2) {
    let n = _rows(tree) - int(test * _rows(tree))
    let mixed = shuffle(key, tree)
    (tree_map(fn(x) = x[:n], mixed), tree_map(fn(x) = x[n:], mixed))
}

## data.batches(tree, size): the rows in batches, [n // size, size, ...]; the last rows that fill no batch are left out. For `for` and scan.
fn batches(tree, size) {
    let n = _rows(tree) // size
    tree_map(fn(x) = x[:n * size].reshape((n, size) + x.shape[1:]), tree)
}

## data.shard(tree, devices): the rows in equal parts, [devices, n // devices, ...], for pmap.
fn shard(tree, devices) =
    tree_map(fn(x) = x.reshape((devices, len(x) // devices) + x.shape[1:]), tree)

## data.one_hot(labels, n): nn.one_hot of n classes, i32[...] -> f32[..., n].
fn one_hot(labels, n) = nn.one_hot(labels, n)

## data.standardize(train, *others): every array less the mean of train's columns, divided by their standard deviation, a tuple.
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
    assert(batches(set, 4).x.shape == (2, 4, 2))
    assert(shard(set, 5).y.shape == (5, 2))
    let (z,) = standardize(f32(set.x))
    assert(allclose(mean(z, axis=0), 0, atol=1e-6) and allclose(std(z, axis=0), 1))
}
