# Arithmetic on whole trees of arrays. Trees of one structure.

## tree.map(f, a, b, ...): as tree_map.
fn map(f, *trees) = tree_map(f, *trees)
## tree.leaves(t): as tree_leaves.
fn leaves(t) = tree_leaves(t)
## tree.reduce(f, t, start=none): f(... f(f(start, a), b) ..., c) over the leaves a, b, c; without start from the first leaf on.
fn reduce(f, t, start=none) {
    if start != none { return tree_reduce(f, t, start) }
    let all = tree_leaves(t)
    if len(all) == 0 { _refuse("`tree.reduce` of a tree without leaves needs a `start`") }
    mut found = all[0]
    for x in all[1:] { found = f(found, x) }
    found
}
## tree.flatten(t): (leaves, tree); tree.unflatten(tree, leaves) puts others in their place.
fn flatten(t) = (tree_leaves(t), t)
## tree.unflatten(t, leaves): the tree t with other leaves.
fn unflatten(t, leaves) = tree_unflatten(t, leaves)
## tree.structure(t): the tree, for tree.unflatten.
fn structure(t) = t
## tree.all(t): whether every element of every leaf is true.
fn all(t) = tree_all(t)
## tree.add(a, b): a + b, leaf by leaf.
fn add(a, b) = tree_map(fn(x, y) = x + y, a, b)
## tree.sub(a, b): a - b, leaf by leaf.
fn sub(a, b) = tree_map(fn(x, y) = x - y, a, b)
## tree.mul(a, b): a * b, leaf by leaf.
fn mul(a, b) = tree_map(fn(x, y) = x * y, a, b)

## tree.scale(a, t): a times every leaf.
fn scale(a, t) = tree_map(fn(x) = a * x, t)
## tree.add_scaled(t, a, u): t + a u, leaf by leaf.
fn add_scaled(t, a, u) = tree_map(fn(x, y) = x + a * y, t, u)

## tree.zeros_like(t): the tree with zeros.
fn zeros_like(t) = tree_zeros_like(t)
## tree.ones_like(t): the tree with ones.
fn ones_like(t) = tree_ones_like(t)
## tree.cast(t, dtype): every leaf converted.
fn cast(t, dtype) = tree_map(fn(x) = x.astype(dtype), t)

## t, a tree that may have leaves: a text or function alone has none.
fn _tree(t, what) {
    if not _among(kind(t), ("number", "array", "tuple", "record")) {
        _refuse("`{what}` needs arrays, or tuples and records of them, got {kind(t)}")
    }
    t
}
## tree.sum(t): all elements together.
fn sum(t) = tree_sum(_tree(t, "tree.sum"))
## tree.dot(a, b): the sum of all products of elements; leaves have the same shapes.
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
## tree.norm(t): the root of the sum of all squares, at least in f32.
fn norm(t) = sqrt(tree_sum(tree_map(fn(x) = _squares(_wide(_number(x))), _tree(t, "tree.norm"))))
## tree.global_norm(t): as tree.norm.
fn global_norm(t) = norm(t)
## tree.size(t): how many elements there are.
fn size(t) {
    mut n = 0
    for x in tree_leaves(_tree(t, "tree.size")) { n += array(x).size }
    n
}

## tree.where(c, a, b): a where the number c is true, else b.
fn where(c, a, b) = tree_map(fn(x, y) = select((c,), (x,), y), a, b)

## tree.stack(list): the trees of a tuple as one, along a new axis 0.
fn stack(list) {
    if len(list) == 0 { _refuse("`tree.stack` needs one tree at least") }
    _stack(list)
}
fn _stack(list) =
    tree_map(fn(*xs) = concatenate((x[none] for x in (array(y) for y in xs)), axis=0), *list)
## tree.unstack(t): the slices along axis 0, a tuple of trees.
fn unstack(t) = (tree_map(fn(x) = x[i], t) for i in tuple(0.._row_count(t, "tree.unstack")))

## tree.allclose(a, b, rtol=1e-5, atol=1e-8): whether all leaves are close.
fn allclose(a, b, rtol=1e-5, atol=1e-8) =
    tree_all(tree_map(fn(x, y) = isclose(x, y, rtol=rtol, atol=atol), a, b))

## tree.ravel(t): (all elements as one vector, the function that makes a tree of such a vector, with the leaves' dtypes), as
## jax.flatten_util.ravel_pytree.
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
    let both = stack((t, scale(2, t)))
    assert(both.b[1].shape == (2, 2, 2) and allclose(unstack(both)[1], scale(2, t)))
    assert(allclose(where(true, t, scale(3, t)), t))
}
