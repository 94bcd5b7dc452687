# Global functions: solvers with implicit derivatives. The derivatives are those of the equation, not of the steps of
# the solver. The values that the given functions close over may be differentiated.

## f with stop_gradient applied to the values that it closes over.
fn _held(f) = _with_captured(f, stop_gradient(_captured(f)))

## The solution with every leaf as a computed value, also numbers that a solver writes as constants. A known number
## would have no derivative.
fn _as_values(solution) = tree_map(fn(v) = broadcast_to(v, v.shape), solution)

## The solver with a check of its result: with has_aux it must be a pair. `what` is the name of the solver in the
## message.
fn _paired(solve, has_aux, what) = fn(f, b) {
    let found = solve(f, b)
    if has_aux and (kind(found) != "tuple" or len(found) != 2) {
        _refuse("with has_aux {what} must return a tuple of two, (x, more), got {_type(found)}")
    }
    found
}

## custom_root(f, initial_guess, solve, tangent_solve, has_aux=false): the root x = solve(f, initial_guess) with
## f(x) = 0, whose derivatives are those of the implicit function. x and f(x) are trees of the same structure.
## tangent_solve(g, y) solves g(x) = y for the linear function g, the derivative of f at x. Reverse mode transposes the
## computation of tangent_solve, which must be possible. With has_aux `solve` returns (x, aux), and so does custom_root.
## aux has no derivatives. There are derivatives of every order, with respect to all values that f closes over. Those
## with respect to initial_guess are 0. It follows jax.lax.custom_root.
fn custom_root(f, initial_guess, solve, tangent_solve, has_aux=false) {
    let solve = _paired(_held(solve), has_aux, "the `solve` of `custom_root`")
    let root = _root_of(_held(f), solve, _held(tangent_solve), has_aux)
    root(_captured(f), stop_gradient(initial_guess))
}
## The root as a function of the values that f closes over, and of the guess.
fn _root_of(f, solve, tangent_solve, has_aux) = custom_jvp(
    fn(values, guess) = _as_values(solve(_with_captured(f, values), guess)),
    fn((values, guess), (changes, _)) {
        let found = _root_of(f, solve, tangent_solve, has_aux)(values, guess)
        let no_slope = if has_aux { (none, none) } else { none }
        if len(values) == 0 { return (found, no_slope) }
        let x = if has_aux { found[0] } else { found }
        let (_, moved) = jvp(fn(values) = _with_captured(f, values)(x), (values,), (changes,))
        let slope = fn(d) = jvp(_with_captured(f, values), (x,), (d,))[1]
        let dx = tree_map(fn(y) = -y, tangent_solve(slope, moved))
        (found, if has_aux { (dx, none) } else { dx })
    },
)

## custom_linear_solve(matvec, b, solve, transpose_solve=none, symmetric=false, has_aux=false): the solution
## x = solve(matvec, b) of matvec(x) = b, with the derivatives of the linear system. x and b are trees of the same
## structure, and matvec is linear. Reverse mode solves with the transpose of matvec. It uses
## transpose_solve(vecmat, y), or `solve` if `symmetric` is true. Without either it transposes the computation of
## `solve`, which must be possible. With has_aux both solvers return (x, aux), and the result is (x, aux) of `solve`.
## aux has no derivatives. There are derivatives of every order, with respect to b and all values that matvec closes
## over. It follows jax.lax.custom_linear_solve.
fn custom_linear_solve(
    matvec,
    b,
    solve,
    transpose_solve=none,
    symmetric=false,
    has_aux=false,
) {
    let held = _held(matvec)
    let solver = fn(f, name) = _paired(_held(f), has_aux, "the `{name}` of `custom_linear_solve`")
    let alone = fn(f) = if has_aux { fn(product, b) = f(product, b)[0] } else { f }
    let given = solver(solve, "solve")
    let forth = alone(given)
    let back = if symmetric {
        forth
    } else if transpose_solve == none {
        fn(vecmat, y) = _transpose(fn(b) = forth(fn(x) = _transpose(vecmat, x), b), y)
    } else {
        alone(solver(transpose_solve, "transpose_solve"))
    }
    let product = fn(values, x) = _with_captured(held, values)(x)
    let solution = if has_aux {
        _solution_and_more(product, given, forth, back)
    } else {
        _solution_of(product, forth, back)
    }
    solution(_captured(matvec), b)
}
## (x, aux) of the solver `given` as a function of values and b. `forth` and `back` are those of _solution_of.
fn _solution_and_more(product, given, forth, back) = custom_jvp(
    fn(values, b) = _as_values(given(fn(x) = product(values, x), b)),
    fn((values, b), (changes, db)) {
        let found = _solution_and_more(product, given, forth, back)(values, b)
        let solution = _solution_of(product, forth, back)
        (found, (_moved_solution(product, solution, (values, found[0]), (changes, db)), none))
    },
)
## The tangent of x. It solves the system for db minus the change of product(values, x) due to the change of the values.
fn _moved_solution(product, solution, (values, x), (changes, db)) {
    if len(values) == 0 { return solution(values, db) }
    let (_, moved) = jvp(fn(values) = product(values, x), (values,), (changes,))
    solution(values, tree_map(fn(d, m) = d - m, db, moved))
}
## The transpose of a linear function f between trees of one structure, applied to y.
fn _transpose(f, y) = vjp(f, tree_map(zeros_like, y))[1](y)[0]
## The solution x of product(values, x) = b as a function of values and b. `forth` solves this system, `back` the
## transposed one.
fn _solution_of(product, forth, back) {
    let solved = fn(values, b) = _as_values(forth(fn(x) = product(values, x), b))
    let transposed = fn(values, y) = _transpose(fn(x) = product(values, x), y)
    custom_jvp(
        _linear_call(solved, fn(values, y) = _solution_of(transposed, back, forth)(values, y)),
        fn((values, b), (changes, db)) {
            let solution = _solution_of(product, forth, back)
            let x = solution(values, b)
            (x, _moved_solution(product, solution, (values, x), (changes, db)))
        },
    )
}
