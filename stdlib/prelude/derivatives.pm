# Global functions of functions: jacobians and hessians; and of trees.

# ---- derivatives of functions with arrays for results

## Where each leaf's elements begin among those of all, with the number of all at the end.
fn _offsets(leaves) {
    mut at = (0,)
    for leaf in leaves { at = at + (at[-1] + array(leaf).size,) }
    at
}
## The unit vectors of a tree: each leaf with an axis in front along which they are counted.
fn _units(tree) {
    let leaves = tree_leaves(tree)
    let at = _offsets(leaves)
    tree_unflatten(tree, (_unit(leaf, first, at[-1]) for (leaf, first) in zip(leaves, at[:-1])))
}
fn _unit(leaf, first, n) {
    let part = array(leaf)
    eye(n, part.size, -first, dtype=part.dtype).reshape((n,) + part.shape)
}

fn _argnum(args, argnums) =
    if _known(argnums) < 0 { _known(argnums) + len(args) } else { _known(argnums) }

# Several arguments are one that is their tuple.
fn _several(args, argnums) = (args[_argnum(args, i)] for i in argnums)
fn _of_several(f, args, argnums) = fn(chosen) {
    mut all = args
    for (i, x) in zip(argnums, chosen) { all = _replace(all, _argnum(args, i), x) }
    f(*all)
}

# What is no function is refused where it is given, before its derivative is taken.
fn _need_function(f, what) {
    if not (kind(f) in ("function", "dtype")) {
        _refuse("`{what}` needs a function, got {_type(f)}")
    }
}

# Derivatives are of floats: of trees of them, and of no integers that were written without a point.
fn _need_floats(tree, what) {
    if len(tree_leaves(tree)) == 0 {
        _refuse("`{what}` needs floats as arguments, got {_type(tree)}")
    }
    for leaf in tree_leaves(tree) {
        if not _is_float(leaf) and not iscomplexobj(leaf) {
            _refuse("`{what}` needs floats as arguments, got {_type(leaf)}: write 3.0, or f32(x)")
        }
    }
}

# What jacobians are of: real numbers, or with `holomorphic` complex ones.
fn _need_numbers(tree, holomorphic, what) {
    for leaf in tree_leaves(tree) {
        if iscomplexobj(leaf) and not holomorphic {
            _refuse("{what} are complex: give holomorphic=true for a holomorphic function, or take jvp or vjp")
        }
        if holomorphic and not iscomplexobj(leaf) {
            _refuse("with holomorphic=true {what} must be complex: convert with c64(x)")
        }
    }
}

## jacfwd(f, argnums=0, has_aux=false, holomorphic=false): the matrix of all derivatives of f, by forward mode: shape of the result, then of the argument. Trees give trees of such,
## a tuple of argnums gives a tuple. With has_aux f returns (y, aux) and the result is (matrix, aux). With holomorphic f goes from complex to complex numbers.
fn jacfwd(f, argnums=0, has_aux=false, holomorphic=false) {
    _need_function(f, "jacfwd")
    fn(*args) {
        if kind(argnums) == "tuple" {
            return jacfwd(_of_several(f, args, argnums), has_aux=has_aux, holomorphic=holomorphic)(
                _several(args, argnums),
            )
        }
        let i = _argnum(args, argnums)
        let x = args[i]
        _need_floats(x, "jacfwd")
        _need_numbers(x, holomorphic, "the arguments of jacfwd")
        let along = fn(v) = jvp(fn(t) = f(*_replace(args, i, t)), (x,), (v,), has_aux=has_aux)[1:]
        let made = vmap(along, out_axes=if has_aux { (-1, none) } else { (-1,) })(_units(x))
        if holomorphic { _need_numbers(made[0], true, "the results under jacfwd") }
        let parts = tree_leaves(x)
        let at = _offsets(parts)
        let matrix = tree_map(
            fn(y) = tree_unflatten(
                x,
                (
                    y[..., at[k]:at[k + 1]].reshape(y.shape[:-1] + array(parts[k]).shape)
                    for k in tuple(0..len(parts))
                ),
            ),
            made[0],
        )
        if has_aux { (matrix, made[1]) } else { matrix }
    }
}

## jacrev(f, argnums=0, has_aux=false, holomorphic=false): as jacfwd, by reverse mode: better where results are fewer than arguments.
fn jacrev(f, argnums=0, has_aux=false, holomorphic=false) {
    _need_function(f, "jacrev")
    fn(*args) {
        if kind(argnums) == "tuple" {
            return jacrev(_of_several(f, args, argnums), has_aux=has_aux, holomorphic=holomorphic)(
                _several(args, argnums),
            )
        }
        let i = _argnum(args, argnums)
        _need_floats(args[i], "jacrev")
        let made = vjp(fn(t) = f(*_replace(args, i, t)), args[i], has_aux=has_aux)
        let (y, pullback) = made[:2]
        _need_numbers(y, holomorphic, "the results under jacrev")
        let rows = vmap(fn(v) = pullback(v)[0])(_units(y))
        let outs = tree_leaves(y)
        let at = _offsets(outs)
        let matrix = tree_unflatten(
            y,
            (_rows(rows, at[k], at[k + 1], outs[k]) for k in tuple(0..len(outs))),
        )
        if has_aux { (matrix, made[2]) } else { matrix }
    }
}
fn _rows(rows, first, last, y) =
    tree_map(fn(g) = g[first:last].reshape(array(y).shape + g.shape[1:]), rows)
## jacobian(f, argnums=0, has_aux=false, holomorphic=false): as jacrev.
fn jacobian(f, argnums=0, has_aux=false, holomorphic=false) {
    _need_function(f, "jacobian")
    fn(*args) = jacrev(f, argnums=argnums, has_aux=has_aux, holomorphic=holomorphic)(*args)
}

## hessian(f, argnums=0, has_aux=false, holomorphic=false): the matrix of second derivatives of f, forward over reverse.
fn hessian(f, argnums=0, has_aux=false, holomorphic=false) {
    _need_function(f, "hessian")
    fn(*args) {
        let rows = jacrev(f, argnums=argnums, has_aux=has_aux, holomorphic=holomorphic)
        jacfwd(rows, argnums=argnums, has_aux=has_aux, holomorphic=holomorphic)(*args)
    }
}

## hvp(f, x, v): the hessian of f at x times v, without the matrix.
fn hvp(f, x, v) = jvp(grad(f), (x,), (v,))[1]

# ---- trees

## tree_all(tree): whether every element of every leaf is true.
fn tree_all(tree) = tree_reduce(fn(a, leaf) = a and all(leaf), tree, true)
## tree_sum(tree): the sum of all elements of all leaves.
fn tree_sum(tree) = tree_reduce(fn(a, leaf) = a + sum(leaf), tree, 0)
## tree_zeros_like(tree): the tree with zeros.
fn tree_zeros_like(tree) = tree_map(zeros_like, tree)
## tree_ones_like(tree): the tree with ones.
fn tree_ones_like(tree) = tree_map(ones_like, tree)
## tree_flatten(tree): (leaves, tree); tree_unflatten(tree, leaves) puts others in their place.
fn tree_flatten(tree) = (tree_leaves(tree), tree)
## tree_structure(tree): the tree, for tree_unflatten.
fn tree_structure(tree) = tree
