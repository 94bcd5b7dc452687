# Global functions: jacobians and hessians of functions, and functions of trees.

# ---- derivatives of functions with array results

## The index of the first element of each leaf among the elements of all leaves, then the total number of elements.
fn _offsets(leaves) {
    mut at = (0,)
    for leaf in leaves { at = at + (at[-1] + array(leaf).size,) }
    at
}
## The unit vectors of a tree: each leaf with a new leading axis, whose size is the total number of elements.
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

# A tuple of argnums is one argument, the tuple of these arguments.
fn _several(args, argnums) = (args[_argnum(args, i)] for i in argnums)
fn _of_several(f, args, argnums) = fn(chosen) {
    mut all = args
    for (i, x) in zip(argnums, chosen) { all = _replace(all, _argnum(args, i), x) }
    f(*all)
}

# Refuses a value that is not a function, before a derivative is taken.
fn _need_function(f, what) {
    if not (kind(f) in ("function", "dtype")) {
        _refuse("`{what}` needs a function, got {_type(f)}")
    }
}

# Derivatives are with respect to trees of floats or complex numbers. An empty tree is an error, and so is an integer,
# also a literal without a point.
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

# Jacobians are those of real numbers, or with `holomorphic` those of complex numbers.
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

## jacfwd(f, argnums=0, has_aux=false, holomorphic=false): the jacobian of f with respect to argument `argnums`, by
## forward mode, as a function of the arguments of f. Its shape is that of the result, followed by that of the argument.
## If the result or the argument is a tree, the jacobian is a tree of trees in the same order. A tuple of argnums gives
## a tuple. With has_aux f returns (y, aux), and the result is (jacobian, aux). With `holomorphic` arguments and results
## of f are complex. Otherwise complex arguments are an error. Integer arguments are an error.
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

## jacrev(f, argnums=0, has_aux=false, holomorphic=false): the jacobian of f with respect to argument `argnums`, by
## reverse mode, as a function of the arguments of f. The arguments and the shape are those of jacfwd. Reverse mode is
## more efficient if f has fewer results than arguments. Without `holomorphic` complex results are an error.
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
## jacobian(f, argnums=0, has_aux=false, holomorphic=false): the jacobian of f by reverse mode, as jacrev.
fn jacobian(f, argnums=0, has_aux=false, holomorphic=false) {
    _need_function(f, "jacobian")
    fn(*args) = jacrev(f, argnums=argnums, has_aux=has_aux, holomorphic=holomorphic)(*args)
}

## hessian(f, argnums=0, has_aux=false, holomorphic=false): the matrix of second derivatives of f, forward over reverse.
## Its shape is that of the result, followed twice by that of the argument. The arguments are those of jacfwd. With
## has_aux the result is (hessian, aux).
fn hessian(f, argnums=0, has_aux=false, holomorphic=false) {
    _need_function(f, "hessian")
    fn(*args) {
        let rows = jacrev(f, argnums=argnums, has_aux=has_aux, holomorphic=holomorphic)
        jacfwd(rows, argnums=argnums, has_aux=has_aux, holomorphic=holomorphic)(*args)
    }
}

## hvp(f, x, v): the product of the hessian of f at x and the vector v, computed without the hessian.
## f returns one number. v is a tree like x, and so is the result.
fn hvp(f, x, v) = jvp(grad(f), (x,), (v,))[1]

## linear_transpose(f, *primals): the transpose of a linear function f, as a function from a cotangent like the result of
## f to the tuple of cotangents of the arguments. Of `primals` only shapes and dtypes count.
fn linear_transpose(f, *primals) {
    _need_function(f, "linear_transpose")
    vjp(f, *primals)[1]
}
## custom_gradient(f): the function of the first results of f, with its own derivative in reverse mode.
## f returns (result, pullback). pullback takes a cotangent like the result, and returns the cotangent of the argument,
## or a tuple of those of several arguments. f runs again in the backward pass.
fn custom_gradient(f) {
    _need_function(f, "custom_gradient")
    custom_vjp(
        fn(*args) = f(*args)[0],
        fn(*args) = (f(*args)[0], args),
        fn(args, g) {
            let made = f(*args)[1](g)
            if kind(made) == "tuple" { made } else { (made,) }
        },
    )
}

# ---- trees

## tree_all(tree): true if every element of every leaf is true.
fn tree_all(tree) = tree_reduce(fn(a, leaf) = a and all(leaf), tree, true)
## tree_sum(tree): the sum of all elements of all leaves, 0 for a tree without leaves.
fn tree_sum(tree) = tree_reduce(fn(a, leaf) = a + sum(leaf), tree, 0)
## tree_zeros_like(tree): the tree with every leaf replaced by zeros of its shape and dtype.
fn tree_zeros_like(tree) = tree_map(zeros_like, tree)
## tree_ones_like(tree): the tree with every leaf replaced by ones of its shape and dtype.
fn tree_ones_like(tree) = tree_map(ones_like, tree)
## tree_flatten(tree): (leaves, tree), with the leaves as a tuple.
## tree_unflatten(tree, leaves) gives a tree of the same structure with other leaves.
fn tree_flatten(tree) = (tree_leaves(tree), tree)
## tree_structure(tree): the tree itself, which tree_unflatten takes as the structure.
fn tree_structure(tree) = tree
