# Arithmetic on trees of arrays: arrays, or tuples and records of trees. Several trees have the same structure.

## tree.map(f, a, b, ...): The tree of f applied to the corresponding leaves of the trees, the global function tree_map.
fn map(f, *trees) = tree_map(f, *trees)
## tree.leaves(t): The leaves of the tree, a tuple. The global function tree_leaves.
fn leaves(t) = tree_leaves(t)
## tree.reduce(f, t, start=none): f(... f(f(start, a), b) ..., c) for the leaves a, b, c.
## Without `start` it begins with the first leaf; a tree without leaves is then an error.
fn reduce(f, t, start=none) {
    if start != none { return tree_reduce(f, t, start) }
    let all = tree_leaves(t)
    if len(all) == 0 { _refuse("`tree.reduce` of a tree without leaves needs a `start`") }
    mut found = all[0]
    for x in all[1:] { found = f(found, x) }
    found
}
## tree.flatten(t): The pair (leaves, t): the tuple of leaves and the tree itself, for tree.unflatten(t, leaves).
fn flatten(t) = (tree_leaves(t), t)
## tree.unflatten(t, leaves): A tree of the structure of `t` with these leaves. `leaves` is a tuple with one
## element for each leaf of t.
fn unflatten(t, leaves) = tree_unflatten(t, leaves)
## tree.structure(t): The tree itself, which tree.unflatten takes as the structure.
fn structure(t) = t

# ---- paths. The path of a leaf is the tuple of the names and indices that lead to it: ("layers", 0, "w").

## The paths of the leaves of t, in the order of the leaves.
fn _paths(t) {
    let n = len(tree_leaves(t))
    mut found = ((),) * n
    for (i, path) in _numbered_paths(tree_unflatten(t, tuple(0..n)), ()) {
        found = _replace(found, _known(i), path)
    }
    found
}
## (leaf, path) for each leaf of t, where the leaves are numbers.
fn _numbered_paths(t, path) {
    if kind(t) == "number" { return ((t, path),) }
    let within = if kind(t) == "tuple" {
        tuple(0..len(t))
    } else if kind(t) == "record" {
        keys(t)
    } else {
        ()
    }
    mut found = ()
    for name in within { found += _numbered_paths(t[name], path + (name,)) }
    found
}
## tree.leaves_with_path(t): the tuple of (path, leaf) for the leaves of the tree.
## A path is a tuple of the names of fields and the indices that lead to the leaf, such as ("layers", 0, "w").
fn leaves_with_path(t) = tuple(zip(_paths(t), tree_leaves(t)))
## tree.flatten_with_path(t): The pair (tree.leaves_with_path(t), t), as tree.flatten with paths.
fn flatten_with_path(t) = (leaves_with_path(t), t)
## tree.map_with_path(f, a, b, ...): The tree of f(path, leaf of a, leaf of b, ...), with paths as in
## tree.leaves_with_path.
fn map_with_path(f, *trees) {
    if len(trees) == 0 { _refuse("`tree.map_with_path` needs one tree at least") }
    let numbers = tree_unflatten(trees[0], tuple(0..len(tree_leaves(trees[0]))))
    let paths = _paths(trees[0])
    tree_map(fn(i, *leaves) = f(paths[i], *leaves), numbers, *trees)
}
## tree.keystr(path): The text of a path as a program writes it: ".layers[0].w".
fn keystr(path) =
    _text_join(((if kind(part) == "str" { ".{part}" } else { "[{part}]" }) for part in path), "")

## tree.broadcast(prefix, t): The tree of the structure of t with each leaf of `prefix` in place of all the leaves of t
## below it. A part of t without a leaf in `prefix` is an error.
fn broadcast(prefix, t) = tree_unflatten(t, (_at_path(prefix, path) for path in _paths(t)))
fn _at_path(prefix, path) {
    mut found = prefix
    for name in path {
        if not _among(kind(found), ("number", "array")) {
            let fits = if kind(name) == "str" {
                kind(found) == "record" and name in found
            } else {
                kind(found) == "tuple" and name < len(found)
            }
            if not fits {
                _refuse("`tree.broadcast` needs a prefix of the tree, which has no leaf for {keystr(path)}")
            }
            found = found[name]
        }
    }
    found
}
## tree.transpose(outer, inner, t): The tree t of the structure of `outer`, whose leaves are trees of the structure of
## `inner`, as a tree of the structure of `inner` whose leaves are trees of the structure of `outer`.
fn transpose(outer, inner, t) {
    let (n, m) = (len(tree_leaves(outer)), len(tree_leaves(inner)))
    let all = tree_leaves(t)
    if len(all) != n * m {
        _refuse("`tree.transpose` needs a tree with {n} times {m} leaves, got {len(all)}")
    }
    tree_unflatten(
        inner,
        (tree_unflatten(outer, (all[m * i + j] for i in tuple(0..n))) for j in tuple(0..m)),
    )
}
## tree.reduce_associative(f, t, identity=none): The leaves combined by an associative f, as tree.reduce.
fn reduce_associative(f, t, identity=none) = reduce(f, t, identity)

# ---- arithmetic

## tree.all(t): True if every element of every leaf is true, else false.
fn all(t) = tree_all(t)
## tree.add(a, b): a + b for each pair of leaves.
fn add(a, b) = tree_map(fn(x, y) = x + y, a, b)
## tree.sub(a, b): a - b for each pair of leaves.
fn sub(a, b) = tree_map(fn(x, y) = x - y, a, b)
## tree.mul(a, b): a * b for each pair of leaves.
fn mul(a, b) = tree_map(fn(x, y) = x * y, a, b)

## tree.scale(a, t): a * t for each leaf of t, with a number `a`.
fn scale(a, t) = tree_map(fn(x) = a * x, t)
## tree.add_scaled(t, a, u): t + a * u for each pair of leaves of t and u, with a number `a`.
fn add_scaled(t, a, u) = tree_map(fn(x, y) = x + a * y, t, u)

## tree.zeros_like(t): A tree of zeros with the structure, shapes and dtypes of t.
fn zeros_like(t) = tree_zeros_like(t)
## tree.ones_like(t): A tree of ones with the structure, shapes and dtypes of t.
fn ones_like(t) = tree_ones_like(t)
## tree.random_like(key, t, sampler=random.normal): A tree of random numbers with the structure, shapes and dtypes of t.
## Each leaf is sampler(key, shape, dtype=dtype) with a key of its own, derived from `key`.
fn random_like(key, t, sampler=random.normal) {
    let like = (array(leaf) for leaf in tree_leaves(_tree(t, "tree.random_like")))
    let keys = random.split(key, len(like))
    let drawn = fn(i, x) = sampler(keys[i], x.shape, dtype=x.dtype)
    tree_unflatten(t, (drawn(i, x) for (i, x) in enumerate(like)))
}
## tree.cast(t, dtype): The tree with every leaf converted to `dtype`.
fn cast(t, dtype) = tree_map(fn(x) = x.astype(dtype), t)

## t, or an error if its kind cannot have leaves, as a string or a function.
fn _tree(t, what) {
    if not _among(kind(t), ("number", "array", "tuple", "record")) {
        _refuse("`{what}` needs arrays, or tuples and records of them, got {kind(t)}")
    }
    t
}
## tree.sum(t): The sum of all elements of all leaves.
fn sum(t) = tree_sum(_tree(t, "tree.sum"))
## tree.dot(a, b): The sum of the products of corresponding elements, without conjugation.
## Leaves of different shapes are an error.
fn dot(a, b) {
    _tree(a, "tree.dot")
    tree_sum(
        tree_map(
            fn(x, y) {
                if array(x).shape != array(y).shape {
                    _refuse("`tree.dot` needs leaves of the same shapes, got {_type(x)} and {_type(y)}")
                }
                x * y
            },
            a,
            b,
        ),
    )
}
## tree.norm(t): The root of the sum of |x|^2 over all elements x, computed in f32 or wider.
fn norm(t) = sqrt(tree_sum(tree_map(fn(x) = _squares(_wide(_number(x))), _tree(t, "tree.norm"))))
## tree.global_norm(t): The root of the sum of |x|^2 over all elements x, the same function as tree.norm.
fn global_norm(t) = norm(t)
## tree.size(t): The number of elements of all leaves.
fn size(t) {
    mut n = 0
    for x in tree_leaves(_tree(t, "tree.size")) { n += array(x).size }
    n
}

## tree.where(c, a, b): The tree `a` if the scalar condition c is true, else the tree `b`.
fn where(c, a, b) = tree_map(fn(x, y) = select((c,), (x,), y), a, b)

## tree.stack(list): The trees of a tuple as one tree, with leaves stacked along a new axis 0.
## An empty tuple is an error.
fn stack(list) {
    if len(list) == 0 { _refuse("`tree.stack` needs one tree at least") }
    _stack(list)
}
fn _stack(list) =
    tree_map(fn(*xs) = concatenate((x[none] for x in (array(y) for y in xs)), axis=0), *list)
## tree.unstack(t): The slices of the tree along axis 0, a tuple of trees. All leaves have the same size along axis 0.
fn unstack(t) = (tree_map(fn(x) = x[i], t) for i in tuple(0.._row_count(t, "tree.unstack")))

## tree.allclose(a, b, rtol=1e-5, atol=1e-8): True if all pairs of leaves are close by isclose, else false.
fn allclose(a, b, rtol=1e-5, atol=1e-8) =
    tree_all(tree_map(fn(x, y) = isclose(x, y, rtol=rtol, atol=atol), a, b))

## tree.ravel(t): The pair of all elements as a vector f[n], and the function from such a vector to a tree like t.
## That function restores the shapes and dtypes of the leaves. As jax.flatten_util.ravel_pytree.
fn ravel(t) {
    let parts = (array(x).reshape(-1) for x in tree_leaves(t))
    (if len(parts) == 0 { zeros(0) } else { concatenate(parts) }, fn(v) = _unravel(t, v))
}
fn _unravel(t, v) {
    let n = size(t)
    if v.shape != (n,) {
        _refuse("a tree of {_counted(n, "element", "elements")} is made of a vector of as many, got {_type(v)}")
    }
    mut at = 0
    mut parts = ()
    for x in tree_leaves(t) {
        let x = array(x)
        parts += (v[at:at + x.size].reshape(x.shape).astype(x.dtype),)
        at += x.size
    }
    tree_unflatten(t, parts)
}

test "leaves come out and go in" {
    let t = {b: [1, 2], a: 3.5}
    assert(
        reduce(fn(n, x) = n + sum(x), t, 0.0) == 6.5 and
        reduce(fn(a, b) = a * b, (2.0, 3.0, 4.0)) == 24,
    )
    let (leaves, form) = flatten(t)
    assert(leaves[0] == 3.5 and array_equal(unflatten(form, (0.5, [7, 8])).b, [7, 8]))
    let (v, back) = ravel(t)
    assert(back(v).b.dtype == i32 and back(v).a == 3.5 and ravel(())[0].shape == (0,))
    assert(norm({a: f16([300.0, 400.0])}) == 500 and global_norm((3.0, 4.0)) == 5)
    assert(all({a: true, b: [true, true]}) and not all({a: [true, false]}))
}

test "trees add, scale and come apart" {
    let t = {a: [1.0, 2.0], b: (3.0 * ones(()), ones((2, 2)))}
    assert(allclose(add(t, t), scale(2, t)))
    assert(size(t) == 7)
    let (v, back) = ravel(t)
    assert(v.shape == (7,) and allclose(back(v), t))
    assert(abs(norm({x: [3.0], y: [4.0]}) - 5) < 1e-6)
    let drawn = random_like(random.key(1), t)
    assert(array_equal(drawn.a, random.normal(random.split(random.key(1), 3)[0], 2)))
    assert(drawn.b[1].shape == (2, 2) and drawn.b[0].shape == ())
    assert(random_like(random.key(1), {n: f64([1, 2])}, sampler=random.uniform).n.dtype == f64)
    let both = stack((t, scale(2, t)))
    assert(both.b[1].shape == (2, 2, 2) and allclose(unstack(both)[1], scale(2, t)))
    assert(allclose(where(true, t, scale(3, t)), t))
}

test "paths lead to leaves, trees transpose and broadcast" {
    let t = {w: (1, [2.0, 3.0]), b: {c: 4}}
    let found = leaves_with_path(t)
    assert(found[0] == (("b", "c"), 4) and found[1] == (("w", 0), 1) and found[2][0] == ("w", 1))
    let named = map_with_path(fn(path, x, y) = if path[0] == "w" { x + y } else { x }, t, t)
    assert(named.b.c == 4 and array_equal(named.w[1], [4.0, 6.0]) and keystr(("w", 1)) == ".w[1]")
    let both = transpose((0, 0), {a: 0, b: 0}, ({a: 1, b: 2}, {a: 3, b: 4}))
    assert(both == {a: (1, 3), b: (2, 4)})
    assert(broadcast({w: 5, b: 6}, t) == {w: (5, 5), b: {c: 6}} and broadcast(7, (1, 2)) == (7, 7))
    assert(grad(fn(t) = reduce_associative(fn(a, b) = a * b, t))((2.0, 3.0)) == (3.0, 2.0))
}
