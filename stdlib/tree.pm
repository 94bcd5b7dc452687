# Arithmetic on whole trees of arrays. Trees of one structure.

## tree.map(f, a, b, ...): as tree_map.
fn map(f, *trees) = tree_map(f, *trees)
## tree.leaves(t): as tree_leaves.
fn leaves(t) = tree_leaves(t)
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

## tree.sum(t): all elements together.
fn sum(t) = tree_sum(t)
## tree.dot(a, b): the sum of all products of elements.
fn dot(a, b) = tree_sum(mul(a, b))
## tree.norm(t): the root of the sum of all squares.
fn norm(t) = sqrt(tree_sum(tree_map(fn(x) = x * x, t)))
## tree.size(t): how many elements there are.
fn size(t) = tree_reduce(fn(n, x) = n + x.size, t, 0)

## tree.where(c, a, b): a where the number c is true, else b.
fn where(c, a, b) = tree_map(fn(x, y) = select((c,), (x,), y), a, b)

## tree.stack(list): the trees of a tuple as one, along a new axis 0.
fn stack(list) =
    tree_map(fn(*xs) = concatenate((x[none] for x in (array(y) for y in xs)), axis=0), *list)
## tree.unstack(t): the slices along axis 0, a tuple of trees.
fn unstack(t) = (tree_map(fn(x) = x[i], t) for i in tuple(0..len(tree_leaves(t)[0])))

## tree.allclose(a, b, rtol=1e-5, atol=1e-8): whether all leaves are close.
fn allclose(a, b, rtol=1e-5, atol=1e-8) =
    tree_all(tree_map(fn(x, y) = all(isclose(x, y, rtol=rtol, atol=atol)), a, b))

## tree.ravel(t): (all elements as one vector, the function that makes a tree of such a vector).
fn ravel(t) = (concatenate((array(x).reshape(-1) for x in tree_leaves(t))), fn(v) = _unravel(t, v))
fn _unravel(t, v) {
    mut at = 0
    mut parts = ()
    for x in tree_leaves(t) {
        parts += (v[at:at + x.size].reshape(x.shape),)
        at += x.size
    }
    tree_unflatten(t, parts)
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
