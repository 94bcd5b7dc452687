# linalg: what factors, solutions, norms and derivatives must satisfy.

fn _sample(key, n) = random.normal(random.key(key), (n, n))

test "factors give the matrix back" {
    let a = _sample(0, 6)
    let s = a @ a.T + 6 * eye(6)
    let l = linalg.cholesky(s)
    assert(allclose(l @ l.T, s, rtol=1e-4) and allclose(l, tril(l)))
    let (p, lower, upper) = linalg.lu(a)
    assert(allclose(p @ lower @ upper, a, atol=1e-5))
    let (q, r) = linalg.qr(a[:, :4])
    assert(
        allclose(q @ r, a[:, :4], atol=1e-5) and
        allclose(q.T @ q, eye(4), atol=1e-5) and
        q.shape == (6, 4),
    )
    let (w, v) = linalg.eigh(s)
    assert(allclose(s @ v, v * w, atol=1e-3) and all(w[1:] >= w[:-1]))
    let (u, d, vt) = linalg.svd(a[:4])
    assert(allclose(u * d @ vt, a[:4], atol=1e-5) and all(d[1:] <= d[:-1]) and vt.shape == (4, 6))
}

test "lu of rectangles, its derivatives, and those of its derivatives" {
    fn measure(x) {
        let (_, l, u) = linalg.lu(x)
        sum(l * l * l) + sum(sin(u))
    }
    for shape in ((5, 3), (3, 5), (1, 4), (4, 1), (30, 20), (20, 30), (6, 6)) {
        let k = min(shape)
        let a = random.normal(random.key(20), shape, dtype=f64)
        let (p, l, u) = linalg.lu(a)
        assert(
            p.shape == (shape[0], shape[0]) and
            l.shape == (shape[0], k) and
            u.shape == (k, shape[1]),
        )
        assert(allclose(p @ l @ u, a, atol=1e-12) and array_equal(triu(u), u))
        assert(array_equal(triu(l[:k]), eye(k)) and max(abs(l)) <= 1)
        let d = random.normal(random.key(21), shape, dtype=f64)
        let e = 1e-6
        let slope = (measure(a + e * d) - measure(a - e * d)) / (2 * e)
        assert(allclose(jvp(measure, (a,), (d,))[1], slope, rtol=1e-6))
        assert(allclose(sum(grad(measure)(a) * d), slope, rtol=1e-6))
        let bend = (grad(measure)(a + e * d) - grad(measure)(a - e * d)) / (2 * e)
        assert(allclose(jvp(grad(measure), (a,), (d,))[1], bend, rtol=1e-5, atol=1e-5))
    }
    let both = random.normal(random.key(22), (2, 4, 2))
    assert(array_equal(linalg.lu(both)[1][1], linalg.lu(both[1])[1]))
    assert(
        linalg.lu(zeros((0, 3)))[2].shape == (0, 3) and linalg.lu(zeros((3, 0)))[0].shape == (3, 3),
    )
}

test "equations are solved" {
    let a = _sample(1, 5)
    let x = arange(5.0)
    assert(allclose(linalg.solve(a, a @ x), x, atol=1e-4))
    assert(allclose(linalg.inv(a) @ a, eye(5), atol=1e-4))
    assert(allclose(linalg.pinv(a[:, :3]) @ a[:, :3], eye(3), atol=1e-4))
    assert(allclose(linalg.lstsq(a[:, :2], a[:, :2] @ [1.0, 2.0])[0], [1, 2], atol=1e-4))
    assert(
        allclose(linalg.det([[2.0, 1.0], [1.0, 3.0]]), 5) and
        allclose(linalg.det([[0.0, 1.0], [1.0, 0.0]]), -1),
    )
    let (sign, size) = linalg.slogdet(a)
    assert(allclose(sign * exp(size), linalg.det(a), rtol=1e-4))
    assert(linalg.matrix_rank(outer(x, x)) == 1)
}

test "norms, powers, exponentials" {
    assert(
        allclose(linalg.norm([3.0, 4.0]), 5) and
        allclose(linalg.norm([3.0, -4.0], ord=1), 7) and
        allclose(linalg.norm([3.0, -4.0], ord=inf), 4),
    )
    assert(
        allclose(linalg.norm([[3.0, 0.0], [0.0, 4.0]], ord=2), 4) and
        allclose(linalg.norm([[1.0, 2.0], [3.0, 4.0]], axis=1), sqrt([5.0, 25.0])),
    )
    assert(
        allclose(linalg.matrix_power([[1.0, 1.0], [0.0, 1.0]], 5), [[1, 5], [0, 1]]) and
        allclose(linalg.matrix_power([[2.0]], -2), 0.25),
    )
    assert(
        allclose(linalg.expm([[0.0, pi], [-pi, 0.0]]), -eye(2), atol=1e-5) and
        allclose(linalg.expm(zeros((3, 3))), eye(3)),
    )
}

test "under vmap and grad" {
    let b = stack((_sample(2, 3), _sample(3, 3)))
    assert(allclose(linalg.inv(b) @ b, broadcast_to(eye(3), (2, 3, 3)), atol=1e-4))
    let a = _sample(4, 3) + 3 * eye(3)
    assert(allclose(grad(fn(m) = linalg.slogdet(m)[1])(a), linalg.inv(a).T, atol=1e-4))
}

test "integers count as floats" {
    let a = [[4, 1], [1, 3]]
    let f = f32(a)
    assert(
        array_equal(linalg.inv(a), linalg.inv(f)) and
        array_equal(linalg.cholesky(a), linalg.cholesky(f)),
    )
    assert(
        array_equal(linalg.solve(a, [1, 2]), linalg.solve(f, [1.0, 2.0])) and
        array_equal(linalg.det(a), linalg.det(f)),
    )
    assert(array_equal(linalg.solve_triangular(a, [1, 2]), linalg.solve_triangular(f, [1.0, 2.0])))
    assert(
        array_equal(linalg.eigvalsh(a), linalg.eigvalsh(f)) and
        array_equal(linalg.svdvals(a), linalg.svdvals(f)),
    )
    assert(
        array_equal(linalg.qr(a)[1], linalg.qr(f)[1]) and
        array_equal(linalg.slogdet(a)[1], linalg.slogdet(f)[1]),
    )
    assert(
        array_equal(linalg.lu(a)[2], linalg.lu(f)[2]) and
        array_equal(linalg.expm(a), linalg.expm(f)),
    )
    assert(
        array_equal(linalg.pinv(a), linalg.pinv(f)) and
        linalg.matrix_rank(a) == 2 and
        allclose(linalg.cond(a), linalg.cond(f)),
    )
    assert(linalg.lstsq(a, [1, 2])[0].dtype == f32 and linalg.matrix_power(a, -1).dtype == f32)
    assert(
        linalg.norm([100000, 0]) == 100000 and
        linalg.norm(i64(a)).dtype == f64 and
        linalg.norm(a, ord=1).dtype == f32,
    )
    assert(linalg.inv(i64(a)).dtype == f64 and linalg.solve(a, f64([1.0, 2.0])).dtype == f64)
}

test "the order of the axes of a norm is that of rows and columns" {
    let x = arange(6.0).reshape(2, 3)
    assert(linalg.norm(x, ord=1, axis=(0, 1)) == 7 and linalg.norm(x, ord=1, axis=(1, 0)) == 12)
    assert(linalg.norm(x, ord=inf, axis=(1, 0), keepdims=true).shape == (1, 1))
}

# The differentials of eigenvalues and eigenvectors: v.T @ da @ v divided by the gaps.
fn _perturbed(a, da) {
    let (w, v) = linalg.eigh(a)
    let inside = v.T @ ((da + da.T) / 2) @ v
    let gap = w - w[:, none]
    (diagonal(inside), v @ where(gap == 0, 0, inside / where(gap == 0, 1, gap)))
}

test "derivatives of eigenvalues and eigenvectors" {
    let (a, da) = (f64(_sample(5, 5)), f64(_sample(6, 5)))
    let (dw, dv) = jvp(linalg.eigh, (a,), (da,))[1]
    let (ew, ev) = _perturbed(a, da)
    assert(allclose(dw, ew, atol=1e-12) and allclose(dv, ev, atol=1e-12))
    let f = fn(x) = sum(linalg.eigh(x)[1] ** 2 * da) + sum(linalg.eigvalsh(x) ** 2)
    assert(allclose(grad(f)(a), jacfwd(f)(a), atol=1e-12))
    assert(allclose(vmap(grad(f))(stack((a, da)))[0], grad(f)(a), atol=1e-12))
    # second derivatives compared with differences of the first
    let h = 1e-5
    let slope = (grad(f)(a + h * da) - grad(f)(a - h * da)) / (2 * h)
    assert(allclose(hvp(f, a, da), slope, rtol=1e-6, atol=1e-5))
    # for equal eigenvalues the sum has a derivative, the eigenvectors have none
    assert(array_equal(grad(fn(x) = sum(linalg.eigvalsh(x)))(eye(3)), eye(3)))
    assert(
        array_equal(linalg.eigh(eye(3))[1], eye(3)) and
        all(isnan(grad(fn(x) = sum(linalg.eigh(x)[1]))(eye(3)))),
    )
    # for nearly equal eigenvalues the small gap adds no error to the derivatives
    let near = [[1.0, 0.0], [0.0, 1.0000001]]
    assert(allclose(grad(fn(x) = linalg.eigvalsh(x)[1])(near), [[0, 0], [0, 1]], atol=1e-6))
}

test "derivatives of singular values and vectors" {
    for (a, da) in (
        (f64(_sample(5, 5)), f64(_sample(6, 5))),
        (f64(_sample(7, 5)[:, :3]), f64(_sample(8, 5)[:, :3])),
    ) {
        let f = fn(x) {
            let (u, s, vt) = linalg.svd(x)
            sum(u ** 2 * da) + sum(vt ** 2 * da[:len(vt), :len(vt)]) + sum(s ** 3)
        }
        let h = 1e-5
        let slope = (f(a + h * da) - f(a - h * da)) / (2 * h)
        assert(allclose(jvp(f, (a,), (da,))[1], slope, rtol=1e-7))
        assert(allclose(sum(grad(f)(a) * da), slope, rtol=1e-7))
        assert(allclose(sum(grad(fn(x) = f(x.T))(a.T) * da.T), slope, rtol=1e-7))
        let turn = (grad(f)(a + h * da) - grad(f)(a - h * da)) / (2 * h)
        assert(allclose(hvp(f, a, da), turn, rtol=1e-5, atol=1e-4))
    }
}

test "matrices far from 1 in size" {
    let a = _sample(9, 4)
    for size in (2e19, 1e-25, 1e-38) {
        assert(allclose(linalg.svdvals(a * size) / size, linalg.svdvals(a), rtol=1e-5))
        assert(allclose(linalg.eigvalsh(a * size) / size, linalg.eigvalsh(a), rtol=1e-5, atol=1e-5))
    }
    assert(
        array_equal(linalg.svdvals(a * 1024), linalg.svdvals(a) * 1024) and
        all(linalg.svdvals(zeros((2, 3))) == 0),
    )
}

test "batches of every function are those of its matrices" {
    let a = stack((_sample(10, 3), _sample(11, 3)))
    let s = a @ a.mT + 3 * eye(3)
    let b = stack((_sample(12, 3)[:, :2], _sample(13, 3)[:, :2]))
    for f in (
        linalg.cholesky,
        linalg.lu,
        linalg.lu_factor,
        linalg.inv,
        linalg.det,
        linalg.slogdet,
        linalg.qr,
        linalg.expm,
        linalg.pinv,
        linalg.svdvals,
        linalg.eigvalsh,
    ) {
        assert(tree.allclose(tree_map(fn(x) = x[1], f(s)), f(s[1]), atol=1e-5))
    }
    for f in (linalg.solve, fn(a, b) = linalg.lstsq(a, b)[0], linalg.solve_triangular) {
        assert(allclose(f(s, b)[1], f(s[1], b[1]), atol=1e-5))
        assert(allclose(f(s, b[0])[1], f(s[1], b[0]), atol=1e-5))
        assert(allclose(f(s[0], b)[1], f(s[0], b[1]), atol=1e-5))
        assert(allclose(f(s, b[0, :, 0])[1], f(s[1], b[0, :, 0]), atol=1e-5))
    }
    assert(linalg.solve(s[:, none], ones((5, 3, 1))).shape == (2, 5, 3, 1))
}

test "matrices of size 0" {
    let z = zeros((0, 0))
    assert(
        linalg.det(z) == 1 and linalg.inv(z).shape == (0, 0) and linalg.cholesky(z).shape == (0, 0),
    )
    assert(linalg.solve(z, zeros((0, 2))).shape == (0, 2) and linalg.eigvalsh(z).shape == (0,))
    let (u, s, vt) = linalg.svd(zeros((0, 3)))
    assert(u.shape == (0, 0) and s.shape == (0,) and vt.shape == (0, 3))
    assert(linalg.pinv(zeros((0, 3))).shape == (3, 0) and linalg.matrix_rank(zeros((0, 3))) == 0)
    assert(linalg.inv(zeros((0, 3, 3))).shape == (0, 3, 3))
}

test "the shortest solution where there are several" {
    let a = _sample(14, 4)[:2]
    let b = [1.0, -2.0]
    let (x, residuals, rank, _) = linalg.lstsq(a, b)
    assert(rank == 2 and allclose(residuals, 0, atol=1e-6))
    assert(allclose(a @ x, b, atol=1e-4) and allclose(x, linalg.pinv(a) @ b, atol=1e-4))
}

test "pseudoinverses and least squares have derivatives at equal and at vanishing singular values" {
    let slope = fn(f, x, d, s) = jvp(fn(s) = f(x + s * d), (s,), (1.0f64,))[1]
    let third = fn(f, x, d) {
        let first = fn(s) = slope(f, x, d, s)
        jvp(fn(s) = jvp(first, (s,), (1.0f64,))[1], (0.0f64,), (1.0f64,))[1]
    }
    let x = f64(_sample(20, 5)[:, :3])
    let d = f64(_sample(21, 5)[:, :3])
    let by_equations = fn(a) = linalg.inv(a.T @ a) @ a.T
    assert(allclose(third(linalg.pinv, x, d), third(by_equations, x, d), rtol=1e-8, atol=1e-10))
    assert(
        allclose(third(linalg.pinv, x.T, d.T), third(by_equations, x, d).T, rtol=1e-8, atol=1e-10),
    )
    let one = f64(eye(3)[:, :2])
    assert(allclose(jacfwd(linalg.pinv)(one), jacrev(linalg.pinv)(one)))
    assert(
        allclose(
            slope(linalg.pinv, one, d[:3, :2], 0.0f64),
            slope(by_equations, one, d[:3, :2], 0.0f64),
        ),
    )
    let b = f64([1.0, -2.0, 0.5])
    let solved = fn(a) = linalg.lstsq(a, b)[0]
    assert(
        allclose(
            slope(solved, one, d[:3, :2], 0.0f64),
            slope(by_equations, one, d[:3, :2], 0.0f64) @ b,
        ),
    )
    # of rank 1, along a path of rank 1: u (v + s w).T
    let (u, v, w) = (f64([1.0, 2.0, -1.0]), f64([0.5, 1.0]), f64([1.0, -3.0]))
    let path = fn(s) = linalg.pinv(outer(u, v + s * w))
    let exact = fn(s) = outer(v + s * w, u) / (sum(u * u) * sum((v + s * w) ** 2))
    let twice = fn(f) = jvp(fn(s) = jvp(f, (s,), (1.0f64,))[1], (0.0f64,), (1.0f64,))[1]
    assert(allclose(path(0.0f64), exact(0.0f64)) and allclose(twice(path), twice(exact)))
}

test "the third derivative of det where two or three ranks are missing" {
    let third = fn(f) {
        let first = fn(s) = jvp(f, (s,), (1.0f64,))[1]
        jvp(fn(s) = jvp(first, (s,), (1.0f64,))[1], (0.0f64,), (1.0f64,))[1]
    }
    let d = f64(arange(16).reshape(4, 4) ** 2 % 7)
    assert(allclose(third(fn(s) = linalg.det(s * d[:3, :3])), 6 * linalg.det(d[:3, :3])))
    # a matrix of rank 1: 6 times the sum of the minors of d
    assert(allclose(third(fn(s) = linalg.det(ones((4, 4)) + s * d)), 294))
    assert(allclose(third(fn(s) = linalg.det(s * d)), 0))
}

test "derivatives of every order of det and of pseudoinverses" {
    let derived = fn(f, n) {
        mut g = f
        for _ in tuple(0..n) {
            let h = g
            g = fn(s) = jvp(h, (s,), (1.0f64,))[1]
        }
        g
    }
    let a = f64([[2, 1, 0, 1], [1, 3, 1, 0], [0, 1, 4, 1], [1, 0, 1, 5]])
    let det = fn(s) = linalg.det(s * a)
    assert(allclose(derived(grad(det), 3)(0.0f64), 1728) and derived(det, 5)(0.0f64) == 0)
    assert(allclose(vmap(derived(det, 4))(f64([0.0, 1.0])), 1728))
    # five rows, of rank 1: det(u v.T + s m) = s^5 det(m) + s^4 (det(m + u v.T) - det(m))
    let m =
        f64([[2, 1, 0, 1, 3], [1, 3, 1, 0, 2], [0, 1, 4, 1, 2], [1, 0, 1, 5, -1], [3, 1, -2, 4, 1]])
    let one = outer(f64([1, 2, 3, 4, 8]), f64([2, 1, 0, 1, -1]))
    let along = fn(s) = linalg.det(one + s * m)
    assert(allclose(derived(along, 4)(0.0f64), 24 * (linalg.det(m + one) - linalg.det(m))))
    assert(allclose(derived(along, 5)(0.0f64), 120 * linalg.det(m)))
    # 1 / s, and 2 / (9 s) by least squares
    let inverse = fn(s) = linalg.pinv(s.reshape(1, 1))[0, 0]
    assert(allclose(grad(grad(grad(grad(inverse))))(2.0), 0.75))
    assert(allclose(derived(inverse, 5)(2.0f64), -1.875))
    let solved = fn(s) = linalg.lstsq(s * f64([[1], [2], [2]]), f64([0, 0, 1]))[0][0]
    assert(allclose(derived(solved, 4)(2.0f64), 2 / 9 * 0.75))
}

test "matrices with a pattern, and solving with what has been factored" {
    let a = [[4.0, 3.0], [6.0, 3.0]]
    let b = [1.0, 2.0]
    assert(allclose(linalg.lu_solve(linalg.lu_factor(a), b), linalg.solve(a, b), atol=1e-6))
    assert(
        allclose(linalg.lu_solve(linalg.lu_factor(a), b, trans=1), linalg.solve(a.T, b), atol=1e-6),
    )
    assert(allclose(linalg.cho_factor([[4.0, 2.0], [2.0, 3.0]])[0], [[2, 1], [0, sqrt(2)]]))
    assert(array_equal(linalg.block_diag([[1, 2]], 3), [[1, 2, 0], [0, 0, 3]]))
    assert(array_equal(linalg.toeplitz([1, 2, 3], [9, 8]), [[1, 8], [2, 1], [3, 2]]))
    assert(array_equal(linalg.toeplitz([1.0, 2j]), [[1, -2j], [2j, 1]]))
    assert(array_equal(linalg.hankel([1, 2], [3, 4, 5]), [[1, 2, 4], [2, 4, 5]]))
    assert(array_equal(linalg.circulant([1, 2, 3]), [[1, 3, 2], [2, 1, 3], [3, 2, 1]]))
    let t = random.normal(random.key(3), (2, 3, 6))
    assert(allclose(tensordot(linalg.tensorinv(t), t, 2), eye(6), atol=1e-4))
    let x = linalg.tensorsolve(t, ones((2, 3)))
    assert(x.shape == (6,) and allclose(tensordot(t, x, 1), 1, atol=1e-4))
    assert(array_equal(linalg.trace(arange(8).reshape(2, 2, 2)), [3, 11]))
}

test "det has derivatives at singular matrices" {
    # by cofactors
    assert(array_equal(grad(linalg.det)([[0.0, 1.0], [0.0, 2.0]]), [[2, 0], [-1, 0]]))
    assert(
        allclose(
            grad(linalg.det)([[0.0, 1.0, 2.0], [0.0, 3.0, 4.0], [0.0, 5.0, 7.0]]),
            [[1, 0, 0], [3, 0, 0], [-2, 0, 0]],
            atol=1e-5,
        ),
    )
    assert(all(grad(linalg.det)(zeros((3, 3))) == 0) and linalg.det(zeros((3, 3))) == 0)
    # the second derivatives at 0 are those of a b - c d
    let h = hessian(linalg.det)(zeros((2, 2)))
    assert(array_equal(h[0, 0], [[0, 0], [0, 1]]) and array_equal(h[0, 1], [[0, 0], [-1, 0]]))
    # of rank 1: the hessian is linear in the elements
    let r = f64(outer([1.0, 2.0, 3.0], [2.0, -1.0, 0.5]))
    let near = hessian(linalg.det)(r + 1e-7 * eye(3))
    assert(allclose(hessian(linalg.det)(r), near, atol=1e-6))
    # a product of small and large numbers keeps its digits
    assert(allclose(linalg.det(diag([1e25, 1e-25, 1e-25])), 1e-25, atol=0))
    let b = random.normal(random.key(20), (2, 5, 5))
    assert(
        allclose(
            vmap(grad(linalg.det))(b),
            linalg.det(b)[:, none, none] * linalg.inv(b).mT,
            rtol=1e-3,
            atol=1e-4,
        ),
    )
    assert(linalg.det(zeros((0, 0))) == 1 and linalg.det([[3.0]]) == 3)
}

# ---- complex matrices

fn _complex(key, shape) = complex(
    random.normal(random.key(key), shape, dtype=f64),
    random.normal(random.key(key + 1000), shape, dtype=f64),
)
fn _h(x) = conj(x.mT)

test "complex matrices, small and large: factors, solutions, values" {
    for n in (1, 5, 30) {
        let a = _complex(n, (n, n))
        let s = a @ _h(a) + eye(n)
        let b = _complex(7, (n, 2))
        assert(allclose(a @ linalg.solve(a, b), b) and allclose(a @ linalg.inv(a), eye(n)))
        assert(allclose(linalg.solve(real(a), b), linalg.solve(c128(real(a)), b)))
        let (sign, size) = linalg.slogdet(a)
        assert(allclose(sign * exp(size), linalg.det(a)) and allclose(abs(sign), 1))
        let l = linalg.cholesky(s)
        assert(allclose(l @ _h(l), s) and all(imag(diagonal(l)) == 0) and array_equal(l, tril(l)))
        assert(allclose(linalg.cholesky(s, upper=true), _h(l)))
        assert(allclose(linalg.cholesky(tril(s) + 1j * eye(n), symmetrize_input=false), l))
        for upper in (false, true) {
            assert(allclose(s @ linalg.cho_solve(linalg.cho_factor(s, lower=not upper), b), b))
        }
        let (p, lower, u) = linalg.lu(a)
        assert(allclose(p @ lower @ u, a) and p.dtype == f64 and max(abs(imag(p))) == 0)
        let (w, v) = linalg.eigh(s)
        assert(allclose(s @ v, v * w) and allclose(_h(v) @ v, eye(n)) and w.dtype == f64)
        assert(allclose(linalg.eigvalsh(triu(s), UPLO="U", symmetrize_input=false), w))
        for (trans, t) in ((0, s), (1, s.T), (2, _h(s)), ("C", _h(s))) {
            let x = linalg.solve_triangular(tril(s), b, lower=true, trans=trans)
            let low =
                if trans == 0 { tril(s) } else if trans == 1 { tril(s).T } else { _h(tril(s)) }
            assert(allclose(low @ x, b))
            if trans != "C" {
                assert(allclose(t @ linalg.lu_solve(linalg.lu_factor(s), b, trans=trans), b))
            }
        }
        assert(allclose(linalg.expm(a - _h(a)) @ linalg.expm(_h(a) - a), eye(n)))
    }
}

test "complex rectangles: orthonormal columns, a real diagonal, pseudoinverses" {
    for (m, n) in ((1, 1), (4, 2), (2, 4), (30, 27), (27, 30)) {
        let a = _complex(3, (m, n))
        for mode in ("reduced", "complete") {
            let (q, r) = linalg.qr(a, mode=mode)
            assert(allclose(q @ r, a) and allclose(_h(q) @ q, eye(q.shape[1])))
            assert(array_equal(r, triu(r)) and all(imag(diagonal(r)) == 0))
        }
        for full in (false, true) {
            let (u, s, vh) = linalg.svd(a, full_matrices=full)
            let k = min((m, n))
            assert(allclose(u[:, :k] * s @ vh[:k], a) and s.dtype == f64 and all(diff(s) <= 0))
            assert(allclose(_h(u) @ u, eye(u.shape[1])) and allclose(vh @ _h(vh), eye(len(vh))))
        }
        let p = linalg.pinv(a)
        assert(allclose(a @ p @ a, a) and allclose(_h(a @ p), a @ p) and allclose(_h(p @ a), p @ a))
        let b = _complex(4, (m, 3))
        let (x, gap, rank, s) = linalg.lstsq(a, b)
        assert(allclose(x, p @ b) and allclose(gap, sum(abs(b - a @ x) ** 2, axis=0), atol=1e-9))
        assert(rank == min((m, n)) and gap.dtype == f64 and s.dtype == f64)
    }
    let thin = _complex(5, (6, 2))
    assert(linalg.matrix_rank(thin @ _h(thin)) == 2)
    assert(allclose(linalg.norm(thin, ord="nuc"), sum(linalg.svdvals(thin))))
}

test "batches of complex matrices are their matrices, under vmap and jit too" {
    let a = _complex(8, (2, 3, 3))
    let all_of = fn(a) = (
        linalg.solve(a, a),
        linalg.det(a),
        linalg.slogdet(a),
        linalg.cholesky(a @ _h(a)),
        linalg.qr(a)[1],
        linalg.svdvals(a),
        linalg.eigvalsh(a),
        linalg.pinv(a),
        linalg.expm(a),
        linalg.norm(a, ord=2, axis=(-2, -1)),
        linalg.matrix_power(a, -2),
    )
    let whole = all_of(a)
    for (x, y) in zip(whole, vmap(all_of)(a)) {
        tree_map(fn(p, q) { assert(allclose(p, q)) }, x, y)
    }
    for (x, y) in zip(whole, jit(all_of)(a)) { tree_map(fn(p, q) { assert(allclose(p, q)) }, x, y) }
    for (x, y) in zip(whole, all_of(a[1])) {
        tree_map(fn(p, q) { assert(allclose(p[1], q)) }, x, y)
    }
}

test "derivatives of complex matrices are slopes, and of higher order slopes of those" {
    let n = 27
    let a = _complex(n + 50, (n, n)) + 3 * eye(n)
    let d = _complex(n + 51, (n, n))
    let e = 1e-5
    let weights = _complex(n + 52, (n, n))
    for f in (
        fn(a) = real(sum(weights * linalg.solve(a, sin(a)))),
        fn(a) = real(sum(weights * linalg.cholesky(a @ _h(a)))),
        fn(a) = real(sum(weights * linalg.qr(a)[1] + conj(weights) * linalg.qr(a)[0])),
        fn(a) = linalg.slogdet(a)[1] + real(linalg.slogdet(a)[0]),
        fn(a) = sum(linalg.svdvals(a) ** 3),
        fn(a) = sum(sin(linalg.eigvalsh(a))),
        fn(a) = abs(linalg.eigh(a)[1][0, 0]) ** 2,
        fn(a) = sum(abs(linalg.pinv(a[:, 1:])) ** 2),
    ) {
        let slope = (f(a + e * d) - f(a - e * d)) / (2 * e)
        assert(allclose(jvp(f, (a,), (d,))[1], slope, rtol=1e-5, atol=1e-6))
        assert(allclose(real(sum(grad(f)(a) * d)), slope, rtol=1e-5, atol=1e-6))
        let bend = (grad(f)(a + e * d) - grad(f)(a - e * d)) / (2 * e)
        assert(allclose(jvp(grad(f), (a,), (d,))[1], bend, rtol=1e-4, atol=1e-4))
    }
}

test "complex matrices far from 1 in size, without elements, and what has no factors" {
    let a = _complex(9, (3, 3))
    for scale in (1e200, 1e-200) {
        assert(allclose(linalg.svdvals(scale * a) / scale, linalg.svdvals(a)))
        assert(allclose(linalg.eigvalsh(scale * a) / scale, linalg.eigvalsh(a)))
    }
    let empty = zeros((0, 0), dtype=c128)
    assert(
        linalg.det(empty) == 1 and
        linalg.inv(empty).shape == (0, 0) and
        linalg.svdvals(empty).dtype == f64,
    )
    assert(linalg.cholesky(empty).dtype == c128 and linalg.eigh(empty)[0].dtype == f64)
    for n in (3, 30) {
        let l = linalg.cholesky(_complex(1, (n, n)) - 99 * eye(n))
        assert(all(isnan(diagonal(l))) and array_equal(triu(l, 1), zeros_like(l)))
        let broken = _complex(1, (n, n)) with [0, 1] = nan
        assert(all(isnan(linalg.svdvals(broken))) and all(isnan(linalg.eigvalsh(broken))))
        let (sign, size) = linalg.slogdet(zeros((n, n), dtype=c64))
        assert(sign == 0 and size == -inf and sign.dtype == c64 and size.dtype == f32)
    }
}

fn _general(n, dtype) {
    let a = random.normal(random.key(n), (n, n), dtype=f64)
    if dtype == f64 { a } else { complex(a, random.normal(random.key(n + 50), (n, n), dtype=f64)) }
}

test "eigenvalues and vectors of general matrices, and their derivatives" {
    for (n, dtype) in ((1, f64), (2, f64), (3, f64), (3, c128), (6, f64)) {
        let a = _general(n, dtype)
        let (w, v) = linalg.eig(a)
        assert(w.dtype == c128 and allclose(a @ v, v * w) and allclose(sum(abs(v) ** 2, axis=0), 1))
        let greatest = take_along_axis(v, argmax(abs(v), axis=0)[none], axis=0)
        assert(allclose(imag(greatest), 0))
        assert(allclose(sum(w), trace(a)) and allclose(prod(w), linalg.det(a)))
        # a symmetric function of the values, and a function of the vectors that does not depend on their phase
        let loss = fn(a) {
            let (w, v) = linalg.eig(a)
            sum(real(w ** 3)) + sum(abs(v) ** 4)
        }
        let d = cos(_general(n, f64)).astype(dtype)
        let e = 1e-5
        let slope = (loss(a + e * d) - loss(a - e * d)) / (2 * e)
        assert(allclose(jvp(loss, (a,), (d,))[1], slope, rtol=1e-5))
        assert(allclose(real(sum(grad(loss)(a) * d)), slope, rtol=1e-5))
        let bend = (grad(loss)(a + e * d) - grad(loss)(a - e * d)) / (2 * e)
        assert(allclose(jvp(grad(loss), (a,), (d,))[1], bend, rtol=1e-4, atol=1e-4))
    }
    # trace(a^3) is the sum of the cubes
    let a = _general(4, f64)
    assert(allclose(grad(fn(a) = real(sum(linalg.eigvals(a) ** 3)))(a), 3 * (a @ a).T))
    let both = stack((a, 2 * a))
    assert(allclose(linalg.eigvals(both)[1], linalg.eigvals(2 * a)))
    assert(
        allclose(
            vmap(grad(fn(a) = sum(abs(linalg.eigvals(a)))))(both)[1],
            grad(fn(a) = sum(abs(linalg.eigvals(a))))(2 * a),
        ),
    )
    assert(
        linalg.eigvals(zeros((0, 0))).shape == (0,) and
        linalg.eigvals(eye(2, dtype=f16)).dtype == c64,
    )
    assert(all(isnan(linalg.eigvals([[1.0, nan], [0.0, 1.0]]))))
}

test "the QR algorithm of the language has LAPACK's values" {
    for (n, dtype) in ((1, f64), (2, f64), (5, f64), (5, c128), (9, f64)) {
        let a = _general(n, dtype)
        let (t, q) = eigen._triangular_form(a.astype(c128))
        assert(
            allclose(q @ t @ conj(q.T), a) and
            allclose(q @ conj(q.T), eye(n)) and
            array_equal(t, triu(t)),
        )
        let w = linalg.eigvals(a)
        assert(all(min(abs(w - diagonal(t)[:, none]), axis=0) < 1e-12))
        let v = eigen._with_real_greatest(q @ eigen._vectors(t))
        assert(allclose(a @ v, v * diagonal(t)))
    }
    # matrices that shifts alone do not change, equal values, a matrix with too few eigenvectors
    for a in (
        [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        eye(3),
        zeros((3, 3)),
        [[1.0, 1.0], [0.0, 1.0]],
    ) {
        let (t, q) = eigen._triangular_form(c64(a))
        let v = eigen._with_real_greatest(q @ eigen._vectors(t))
        assert(allclose(a @ v, v * diagonal(t), atol=1e-6))
    }
}

test "the parts of qr and their derivatives" {
    for (m, n) in ((1, 1), (3, 3), (5, 3), (3, 5), (30, 28)) {
        let k = min((m, n))
        let real_a = random.normal(random.key(n), (m, n), dtype=f64)
        for a in (real_a, complex(real_a, random.normal(random.key(9), (m, n), dtype=f64))) {
            let (h, taus) = linalg.geqrf(a)
            let (q, r) = linalg.qr(a)
            assert(
                allclose(triu(h[:k]), r) and
                allclose(linalg.householder_product(h[:, :k], taus), q),
            )
            let whole = linalg.householder_product(pad(h[:, :k], ((0, 0), (0, m - k))), taus)
            assert(allclose(whole[:, :k], q) and allclose(whole @ conj(whole.T), eye(m)))
            if m * n < 16 {
                let loss = fn(a) {
                    let (h, taus) = linalg.geqrf(a)
                    sum(real(sin(h))) + sum(real(linalg.householder_product(h[:, :k], taus * taus)))
                }
                let d = cos(real_a).astype(a.dtype)
                let slope = (loss(a + 1e-6 * d) - loss(a - 1e-6 * d)) / 2e-6
                assert(allclose(jvp(loss, (a,), (d,))[1], slope, rtol=1e-6))
                assert(allclose(sum(real(grad(loss)(a) * d)), slope, rtol=1e-6))
            }
        }
    }
    let (h, taus) = linalg.geqrf([[2.0, 1.0], [0.0, 3.0]])
    assert(array_equal(h, [[2.0, 1.0], [0.0, 3.0]]) and array_equal(taus, [0.0, 0.0]))
    let batch = random.normal(random.key(2), (2, 4, 3))
    let (hs, all) = linalg.geqrf(batch)
    assert(array_equal(linalg.qr(batch, mode="raw")[0], hs.mT))
    assert(
        array_equal(
            linalg.householder_product(hs, all)[1],
            linalg.householder_product(hs[1], all[1]),
        ),
    )
}

test "systems with three diagonals are those of the whole matrix" {
    let whole = fn(dl, d, du) = diag(d) + diag(dl[1:], -1) + diag(du[:-1], 1)
    let due = fn(dl, d, du, b) = linalg.solve(whole(dl, d, du), b)
    for n in (1, 2, 3, 20) {
        let (dl, d, du) = (random.normal(random.key(k), (n,), dtype=f64) for k in (1, 2, 3))
        let b = random.normal(random.key(4), (n, 2), dtype=f64)
        assert(allclose(linalg.tridiagonal_solve(dl, d, du, b), due(dl, d, du, b)))
        assert(allclose(linalg.tridiagonal_solve(dl, d, du, b[:, 0]), due(dl, d, du, b[:, 0])))
        let z = complex(d, du)
        assert(allclose(linalg.tridiagonal_solve(dl, z, du, b), due(dl, z, du, b)))
        if n == 3 {
            let slopes = fn(f) = grad(fn(p) = sum(sin(f(*p))))
            let bends = fn(f) = grad(fn(p) = tree_sum(tree_map(fn(g) = sum(cos(g)), slopes(f)(p))))
            let p = (dl, d, du, b)
            for of in (slopes, bends) {
                for (one, other) in zip(of(linalg.tridiagonal_solve)(p), of(due)(p)) {
                    assert(allclose(one, other))
                }
            }
        }
    }
    # a 0 on the diagonal, batches, a singular matrix
    assert(
        allclose(
            linalg.tridiagonal_solve([0.0, 1.0], [0.0, 0.0], [2.0, 0.0], [4.0, 3.0]),
            [3.0, 2.0],
        ),
    )
    let one = ones((2, 4))
    let x = linalg.tridiagonal_solve(one, 4 * one, one, ones((2, 4, 1)))
    assert(
        x.shape == (2, 4, 1) and
        allclose(x[1, :, 0], linalg.tridiagonal_solve(one[1], 4 * one[1], one[1], ones(4))),
    )
    assert(
        not any(isfinite(linalg.tridiagonal_solve([0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [1.0, 2.0]))),
    )
}

test "tridiagonal_solve does not read what is no part of the matrix" {
    let (d, b) = ([1.0, 1.0, 1.0], [1.0, 2.0, 3.0])
    let x = linalg.tridiagonal_solve([0.0, 5.0, 7.0], d, [2.0, 2.0, 0.0], b)
    assert(all(linalg.tridiagonal_solve([nan, 5.0, 7.0], d, [2.0, 2.0, nan], b) == x))
}

test "tensorsolve moves the axes that it is given, in their order, to the end" {
    let t = random.normal(random.key(5), (2, 2, 3, 3))  # axes 0 and 2 are moved to the end
    let b = reshape(arange(6.0), (2, 3))
    let x = linalg.tensorsolve(t, b, axes=(0, 2))
    assert(x.shape == (2, 3))
    assert(allclose(tensordot(transpose(t, (1, 3, 0, 2)), x, 2), b, atol=1e-3))
}

test "roots, solutions and linalg.polar factors satisfy their equations" {
    let draw = fn(key, shape) = random.normal(random.key(key), shape, dtype=f64)
    let (a, b, c) = (draw(0, (5, 5)), draw(1, (3, 3)), draw(2, (5, 3)))
    let x = linalg.solve_sylvester(a, b, c)
    assert(x.dtype == f64 and allclose(a @ x + x @ b, c))
    let r = linalg.sqrtm(a)
    assert(allclose(r @ r, a, atol=1e-12) and all(real(linalg.eigvals(r)) > -1e-12))
    assert(allclose(linalg.funm(a, exp), linalg.expm(a), atol=1e-10))
    assert(
        allclose(
            linalg.funm([[2.0, 1.0], [0.0, 2.0]], sin),
            [[sin(2.0), cos(2.0)], [0.0, sin(2.0)]],
        ),
    )
    for m in (c, c.T, complex(c, c)) {
        let (u, p) = linalg.polar(m)
        assert(allclose(u @ p, m) and allclose(conj(u).T @ u @ p, p) and allclose(conj(p).T, p))
    }
}

test "derivatives are those of the equations, also where eigenvalues are equal" {
    let d = random.normal(random.key(3), (3, 3), dtype=f64)
    let a = 4 * eye(3, dtype=f64)
    # the square root of 4 + e d, up to e^3, and the linalg.polar factors of 1 + e d, up to e^2
    let (x, dx) = jvp(fn(a) = real(linalg.sqrtm(a)), (a,), (d,))
    assert(allclose(x, a / 2) and allclose(dx, d / 4))
    let second = jvp(fn(a) = jvp(fn(b) = real(linalg.sqrtm(b)), (a,), (d,))[1], (a,), (d,))[1]
    assert(allclose(second, -d @ d / 32))
    let (_, (du, dp)) = jvp(linalg.polar, (eye(3, dtype=f64),), (d,))
    assert(allclose(du, (d - d.T) / 2) and allclose(dp, (d + d.T) / 2))
    let loss = fn(a, b) = sum(linalg.solve_sylvester(a, b, d) ** 2)
    let g = grad(loss)(a, d)
    assert(allclose(sum(g * d), jvp(fn(a) = loss(a, d), (a,), (d,))[1]))
}
