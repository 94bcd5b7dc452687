# custom_root and custom_linear_solve: derivatives of the solution, not of the solver.

fn _newton(f, guess) {
    mut x = guess
    while abs(f(x)) > 1e-13 { x = x - f(x) / grad(f)(x) }
    x
}
fn _divided(g, y) = y / g(ones_like(y))
fn _cube_root(a) = custom_root(fn(x) = x ** 3 - a, f64(1), _newton, _divided)

test "a root has the derivatives of the implicit function, of every order" {
    let a = f64(8)
    assert(allclose(_cube_root(a), 2))
    assert(
        allclose(grad(_cube_root)(a), 1 / 12) and allclose(jvp(_cube_root, (a,), (3.0,))[1], 1 / 4),
    )
    assert(allclose(grad(grad(_cube_root))(a), -1 / 144))
    assert(allclose(grad(fn(a) = jvp(_cube_root, (a,), (1.0,))[1])(a), -1 / 144))
    assert(allclose(jvp(grad(grad(_cube_root)), (a,), (1.0,))[1], 5 / 3456))
    let many = f64([1, 8, 27])
    assert(allclose(vmap(_cube_root)(many), [1, 2, 3]))
    assert(allclose(jit(vmap(grad(_cube_root)))(many), [1 / 3, 1 / 12, 1 / 27]))
    # the result does not depend on the guess
    let from = fn(guess) = custom_root(fn(x) = x ** 3 - 8, guess, _newton, _divided)
    assert(grad(from)(f64(1)) == 0 and allclose(from(f64(1)), 2))
}

test "a root of several equations, with more than the root" {
    let solve = fn(f, guess) {
        mut x = guess
        mut steps = 0
        while max(abs(f(x))) > 1e-13 {
            x = x - linalg.solve(jacfwd(f)(x), f(x))
            steps = steps + 1
        }
        (x, steps)
    }
    let tangent = fn(g, y) = linalg.solve(jacfwd(g)(y), y)
    let root = fn(p) = custom_root(
        fn(x) = stack((x[0] ** 2 + x[1] - p.a, x[0] - x[1] ** 3 + p.b)),
        ones(2, dtype=f64),
        solve,
        tangent,
        has_aux=true,
    )
    let p = {a: f64(2.5), b: f64(0.5)}
    let (x, steps) = root(p)
    assert(steps > 1 and allclose(x[0] ** 2 + x[1], 2.5))
    # dx = -J^-1 df
    let j = stack((stack((2 * x[0], 1)), stack((1, -3 * x[1] ** 2))))
    let slopes = jacrev(fn(p) = root(p)[0])(p)
    assert(allclose(slopes.a, linalg.solve(j, f64([1, 0]))))
    assert(allclose(slopes.b, linalg.solve(j, f64([0, -1]))))
    let e = 1e-5
    let slope = fn(a) = grad(fn(p) = root(p)[0][1] ** 2)({a, b: p.b}).b
    assert(allclose(grad(slope)(p.a), (slope(p.a + e) - slope(p.a - e)) / (2 * e), rtol=1e-6))
}

## Conjugate gradients, for symmetric positive matrices.
fn _conjugate_gradients(product, b) {
    mut x = zeros_like(b)
    mut r = b
    mut p = b
    while sum(r * r) > 1e-28 {
        let q = product(p)
        let step = sum(r * r) / sum(p * q)
        let next = r - step * q
        x = x + step * p
        p = next + sum(next * next) / sum(r * r) * p
        r = next
    }
    x
}
## Repeats x + h (b - a x).
fn _by_steps(product, b) {
    mut x = b
    while max(abs(b - product(x))) > 1e-13 { x = x + 0.2 * (b - product(x)) }
    x
}

test "a linear system that is solved by steps has the derivatives of the system" {
    let n = 3
    let c = random.normal(random.key(0), (n, n), dtype=f64)
    let b = random.normal(random.key(1), (n,), dtype=f64)
    let symmetric = fn(c) = c @ c.T + 3 * eye(n)
    let shifted = fn(c) = c / 4 + 2 * eye(n)
    let by_gradients = fn(c, b) =
        custom_linear_solve(fn(x) = symmetric(c) @ x, b, _conjugate_gradients, symmetric=true)
    let by_steps = fn(c, b) =
        custom_linear_solve(fn(x) = shifted(c) @ x, b, _by_steps, transpose_solve=_by_steps)
    for (found, due) in (
        (by_gradients, fn(c, b) = linalg.solve(symmetric(c), b)),
        (by_steps, fn(c, b) = linalg.solve(shifted(c), b)),
    ) {
        let loss = fn(f) = fn(c, b) = sum(sin(f(c, b)))
        assert(allclose(found(c, b), due(c, b)))
        for argnum in (0, 1) {
            let slope = fn(f) = grad(loss(f), argnums=argnum)
            assert(allclose(slope(found)(c, b), slope(due)(c, b)))
            let bend = fn(f) = grad(fn(c, b) = sum(cos(slope(f)(c, b))), argnums=(0, 1))(c, b)
            let (one, other) = (bend(found), bend(due))
            assert(allclose(one[0], other[0]) and allclose(one[1], other[1]))
        }
        let along = fn(f) = jvp(f, (c, b), (cos(c), sin(b)))[1]
        assert(allclose(along(found), along(due)))
        let (cs, bs) = (stack((c, 2 * c)), stack((b, b + 1)))
        assert(allclose(vmap(found, in_axes=(none, 0))(c, bs), vmap(due, in_axes=(none, 0))(c, bs)))
        let each = fn(f) = jit(vmap(grad(loss(f))))(cs, bs)
        assert(allclose(each(found), each(due)))
    }
}

test "a linear system of trees" {
    let a = f64(2)
    let system = fn(a, b) = custom_linear_solve(
        fn(x) = {u: x.u + a * x.v, v: a * x.v},
        b,
        fn(product, b) = {u: b.u - b.v, v: b.v / product({u: 0.0, v: 1.0}).v},
        transpose_solve=fn(product, y) =
            {u: y.u, v: (y.v - product({u: y.u, v: 0.0}).v) / product({u: 0.0, v: 1.0}).v},
    )
    let b = {u: f64(3), v: f64(5)}
    let x = system(a, b)
    assert(allclose(x.u, -2) and allclose(x.v, 2.5))
    let (da, db) = grad(fn(a, b) = system(a, b).u + 3 * system(a, b).v, argnums=(0, 1))(a, b)
    assert(allclose(da, -3 * 5 / 4) and allclose(db.u, 1) and allclose(db.v, -1 + 3 / 2))
}

test "without a solver for the transpose forward mode is there, and reverse mode where the solver can be transposed" {
    let a = f64([[2, 1], [0, 4]])
    let b = f64([3, 4])
    let by_steps = fn(b) = custom_linear_solve(fn(x) = a @ x, b, _by_steps)
    assert(allclose(jvp(by_steps, (b,), (b,))[1], [1, 1]))
    let directly = fn(b) = custom_linear_solve(fn(x) = a @ x, b, fn(_, b) = linalg.solve(a, b))
    assert(allclose(grad(fn(b) = sum(directly(b)))(b), linalg.solve(a.T, ones(2, dtype=f64))))
    # values that the solver captures are constants, and the second derivatives are those of the equation
    fn size(c) {
        let m = a * c
        sum(custom_linear_solve(fn(x) = m @ x, b, fn(_, b) = linalg.solve(m, b)) ** 2)
    }
    let once = sum(linalg.solve(a, b) ** 2)
    assert(allclose(grad(grad(size))(2.0f64), 6 * once / 16))
    assert(allclose(grad(fn(c) = jvp(size, (c,), (1.0f64,))[1])(2.0f64), 6 * once / 16))
}

test "a solver that writes its result has the derivatives of the equation" {
    let root = fn(a) = custom_root(fn(x) = x * x - a, 1.0, fn(f, x) = 2.0, fn(g, y) = y / g(1.0))
    assert(root(4.0) == 2.0 and grad(root)(4.0) == 0.25 and jvp(root, (4.0,), (1.0,)).1 == 0.25)
    let solved = fn(a) = custom_linear_solve(fn(v) = a * v, 2.0, fn(mv, b) = 1.0, symmetric=true)
    assert(solved(2.0) == 1.0 and grad(solved)(2.0) == -1.0)
}

test "a linear solver hands on what else it gives" {
    let a = f64([[4, 1], [2, 3]])
    fn solved(c, b) {
        let m = a * c
        custom_linear_solve(
            fn(x) = m @ x,
            b,
            fn(_, b) = (linalg.solve(stop_gradient(m), b), {turns: 3, size: sum(b)}),
            transpose_solve=fn(vecmat, y) = (linalg.solve(stop_gradient(m.T), y), none),
            has_aux=true,
        )
    }
    let b = f64([1, 2])
    let (x, more) = solved(2.0f64, b)
    assert(allclose(a @ x * 2, b) and more.turns == 3 and more.size == 3)
    let weight = f64([1, -2])
    let (dc, db) = grad(fn(c, b) = sum(solved(c, b)[0] * weight), argnums=(0, 1))(2.0f64, b)
    assert(allclose(dc, -sum(x * weight) / 2) and allclose(db, linalg.solve(a.T * 2, weight)))
    let (_, (dx, _)) = jvp(solved, (2.0f64, b), (1.0f64, b))
    assert(allclose(dx, x / 2))
    let (y, size) =
        vmap(fn(b) = (solved(2.0f64, b)[0], solved(2.0f64, b)[1].size))(stack((b, 2 * b)))
    assert(allclose(y[1], 2 * x) and allclose(size, [3, 6]))
}
