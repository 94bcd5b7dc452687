# Global functions, special functions and samplers, in cases that tests/oracle/vocabulary_values.pm does not cover: compiled, mapped, other dtypes.

test "what depends on values has its size given in compiled code" {
    let f =
        jit(fn(a, b) = (union1d(a, b, size=5), intersect1d(a, b, size=2), setxor1d(a, b, size=3)))
    let (u, i, x) = f([3, 1, 1], [1, 2])
    assert(array_equal(u, [1, 2, 3, 1, 1]) and array_equal(i, [1, 1]) and array_equal(x, [2, 3, 2]))
    assert(
        array_equal(
            jit(fn(a, n) = repeat(a, n, total_repeat_length=4))([5, 6], [1, 2]),
            [5, 6, 6, 6],
        ),
    )
    assert(array_equal(jit(fn(a) = repeat(a, (2, 1)))([5, 6]), [5, 5, 6]))
    assert(
        repeat(zeros((2, 0)), 3, axis=1).shape == (2, 0) and repeat([1, 2], [0, 0]).shape == (0,),
    )
    assert(array_equal(vmap(nanargmax)([[1.0, nan], [nan, nan]]), [0, -1]))
}

test "fits have derivatives and batches" {
    let x = linspace(-1.0, 1.0, 6)
    let p = [0.5, -2.0, 1.0]
    assert(allclose(polyfit(x, polyval(p, x), 2), p, atol=1e-5))
    # the fitted line moves with its points
    let slope = jacrev(fn(y) = polyfit(x, y, 1)[1])(x)
    assert(allclose(slope, 1 / 6, atol=1e-5))
    assert(vmap(fn(y) = polyfit(x, y, 3))(ones((4, 6))).shape == (4, 4))
    assert(polyfit(f64(x), f64(x), 1).dtype == f64)
}

test "incomplete gamma and beta functions in all floating dtypes" {
    assert(allclose(igamma(1.0, [0.5, 2.0, 20.0]), 1 - exp(-[0.5, 2.0, 20.0]), atol=1e-6))
    assert(igamma(f16(2.0), f16(1.0)).dtype == f16 and igamma(2, 3).dtype == f32)
    assert(allclose(f32(igamma(f16(2.0), f16(1.0))), 0.26424, rtol=1e-2))
    let (a, x) = (f64([0.5, 3.0, 15.0, 200.0]), f64([1.0, 2.0, 18.0, 190.0]))
    assert(allclose(igamma(a, x) + igammac(a, x), 1, rtol=1e-14))
    # the derivative in x is the density, the mixed one the derivative of the density in a
    let density = fn(a, x) = exp((a - 1) * log(x) - x - lgamma(a))
    assert(allclose(vmap(grad(igamma, argnums=1))(a, x), density(a, x), rtol=1e-11))
    let mixed = vmap(grad(fn(a, x) = grad(igamma, argnums=1)(a, x)))(a, x)
    assert(allclose(mixed, vmap(grad(density))(a, x), rtol=1e-9))
    # the derivative in a compared with a difference
    let h = 1e-5
    let near = (igamma(a + h, x) - igamma(a - h, x)) / (2 * h)
    assert(allclose(vmap(grad(igamma))(a, x), near, rtol=1e-6))
    let b = f64([2.0, 0.7, 30.0])
    let t = f64([0.3, 0.9, 0.5])
    assert(allclose(betainc(b, b[::-1], t), 1 - betainc(b[::-1], b, 1 - t), rtol=1e-13))
    assert(allclose(betainc(b, 1.0f64, t), t ** b, rtol=1e-13))
    assert(
        allclose(polygamma(1, f64([0.5])), pi ** 2 / 2) and
        allclose(zeta(2.0f64, 1.0), pi ** 2 / 6),
    )
    assert(allclose(vmap(grad(digamma))(b), polygamma(1, b), rtol=1e-10))
}

# Values of mpmath, with 40 digits.
test "incomplete gamma and beta functions of large parameters" {
    fn near(y, wanted, rtol) = all(abs(y / f64(wanted) - 1) < rtol)
    let a = f64([1e5, 1e6, 1e8])
    let lower = f64([0.00075741992117476797, 0.50013298076087259, 1.2652725299611572e-12])
    assert(near(special.gammainc(a, f64([99000.0, 1e6, 99930000.0])), lower, 1e-13))
    let upper = special.gammaincc(f64([1e6, 1e12]), f64([1003000.0, 1000003000000.0]))
    assert(near(upper, f64([0.0013617406462175915, 0.0013499098499169015]), 1e-13))
    assert(near(special.gammainc(f64([1e30, 1e30]), f64([1e30, 1.1e30])), f64([0.5, 1.0]), 1e-15))
    let p = f64([1e4, 1e5, 1e6, 1e8])
    let part = special.betainc(p, f64([1e4, 2e5, 1e6, 1e8]), f64([0.49, 0.33, 0.4975, 0.4999]))
    let wanted = f64([
        0.0023370593301101495, 5.2427818184781204e-05, 7.684899705157243e-13, 0.0023388673096897892,
    ])
    assert(near(part, wanted, 1e-11))
    assert(
        near(special.betainc(f64([1e6, 1e8]), f64([1e6, 1e8]), f64(0.5)), f64([0.5, 0.5]), 1e-13),
    )
    # Compared with the value for b = 1, and with the symmetry.
    let x = 1 - f64([1e-6, 1e-7])
    assert(near(special.betainc(1e6f64, 1.0, x), x ** 1e6, 1e-9))
    let ends = f64([0.0, 1.0])
    assert(all(special.betainc(600.0f64, 600.0, ends) == ends))
    assert(all(vmap(grad(fn(t) = special.betainc(1e4f64, 1e4, t)))(ends) == 0))
    let slope = grad(fn(x) = special.gammainc(1e6f64, x))(f64(1e6))
    assert(near(slope, f64(0.00039894224715624404), 1e-12))
}

test "counts have the mean and the spread of their distribution" {
    let few = random.binomial(random.key(0), 12, 0.3, (4000,))
    let many = random.binomial(random.key(1), 500, 0.7, (4000,))
    assert(abs(mean(few) - 3.6) < 0.1 and abs(var(few) - 2.52) < 0.25 and min(few) >= 0)
    assert(abs(mean(many) - 350) < 1 and abs(var(many) - 105) < 10 and max(many) <= 500)
    let counts = random.multinomial(random.key(2), 30, [0.2, 0.3, 0.5], shape=(500, 3))
    assert(all(sum(counts, axis=1) == 30) and allclose(mean(counts, axis=0), [6, 9, 15], atol=0.5))
    let keys = random.split(random.key(3), 3)
    let one = jit(fn(k) = random.binomial(k, 40, 0.5))
    assert(array_equal(vmap(fn(k) = random.binomial(k, 40, 0.5))(keys), [one(k) for k in keys]))
}

test "windows of any number of axes, and of whole numbers" {
    assert(array_equal(reduce_window([3, 1, 2], 0, add, (2,)), [4, 3]))
    let x = random.normal(random.key(0), (2, 3, 4, 5))
    let y = reduce_window(x, 0.0, add, (2, 3, 4, 5))
    assert(y.shape == (1, 1, 1, 1) and allclose(y, sum(x), atol=1e-4))
    let pooled = reduce_window(x, -inf, maximum, (1, 2, 2, 1), (1, 1, 2, 1), "SAME")
    assert(allclose(pooled, nn.max_pool(x, window=2, strides=(1, 2), padding="SAME")))
}

test "quantiles at the boundaries of discontinuous methods" {
    let x = f64([0, 1, 2, 3, 4])
    let at = f64([0.2, 0.4, 0.6, 0.8])
    assert(array_equal(quantile(x, at, method="inverted_cdf"), [0, 1, 2, 3]))
    assert(array_equal(quantile(x, at, method="averaged_inverted_cdf"), [0.5, 1.5, 2.5, 3.5]))
    let of_ten = arange(10, dtype=f64)
    assert(
        array_equal(
            quantile(of_ten, f64([0.25, 0.35, 0.75]), method="closest_observation"),
            [1, 3, 7],
        ),
    )
    assert(quantile(arange(30, dtype=f64), 0.55, method="closest_observation") == 15)
    assert(quantile(arange(4, dtype=f64), 0.5, method="inverted_cdf") == 1)
}

test "differences of sets keep their order when asked" {
    assert(array_equal(setdiff1d([4, 3, 1, 4], [1]), [3, 4]))
    assert(array_equal(setdiff1d([4, 3, 1], [1], assume_unique=true), [4, 3]))
}

test "masks of known truths" {
    assert(array_equal(delete([1, 2, 3], (true, false, true)), [2]))
    assert(array_equal(delete([1, 2, 3], [true, false, true]), [2]))
}

test "trees of one kind, sums of trees, leaves and back" {
    let t = {w: [1.0, -2.0], b: (3, 0.5)}
    let same = fn(a, b) = tree_all(tree_map(array_equal, a, b))
    assert(same(tree_zeros_like(t), {w: [0.0, 0.0], b: (0, 0.0)}))
    assert(same(tree_ones_like(t), {w: [1.0, 1.0], b: (1, 1.0)}))
    let (leaves, structure) = tree_flatten(t)
    assert(same(tree_unflatten(structure, leaves), t))
    assert(same(tree_unflatten(tree_structure(t), leaves), t))
    assert(same(tree.add_scaled({w: [1.0, 2.0]}, 0.5, {w: [4.0, 6.0]}), {w: [3.0, 5.0]}))
}

test "one step of Runge and Kutta's is the series of order four" {
    let h = 0.5
    let y = ode.rk4_step(fn(y, t) = -2.0 * y, 1.0, 0.0, h)
    assert(allclose(y, 1 - 2 * h + 2 * h ** 2 - 4 / 3 * h ** 3 + 2 / 3 * h ** 4))
    assert(allclose(ode.rk4_step(fn(y, t, a) = a * t ** 3, 0.0, 1.0, 1.0, 4.0), 15.0))
}

test "factors of matrices that are not square" {
    for (m, n) in ((2, 4), (5, 3), (1, 3), (3, 1)) {
        let k = min((m, n))
        let a = random.normal(random.key(m), (m, n))
        let (both, p, _) = factors.rectangular_lu(a)
        assert(allclose((tril(both[:, :k], -1) + eye(m, k)) @ triu(both[:k]), a[p], atol=1e-6))
    }
}

test "pieces of functions and numbers" {
    let x = [-1.0, 0.5, 2.0]
    assert(array_equal(piecewise(x, (x < 0, x >= 0), (-1.0, 1.0)), [-1, 1, 1]))
    # the last true condition counts, as in NumPy
    assert(array_equal(piecewise(x, (x < 1, x < 0), (fn(x) = 10 * x, 20, 5)), [20, 5, 5]))
    assert(array_equal(piecewise(x, (x > 1,), (square,)), [0, 0, 4]))
    assert(array_equal(piecewise([inf, 1.0, nan], ([false, true, false],), (square,)), [0, 1, 0]))
    assert(
        allclose(
            grad(fn(x) = sum(piecewise(x, (x < 0, x > 1), (sin, square))))(x),
            [cos(-1.0), 0, 4],
        ),
    )
}

test "functions of arrays over further axes" {
    let inner = vectorize(fn(a, b) = a @ b, signature="(n),(n)->()")
    assert(array_equal(inner(ones((3, 1, 4)), 2 * ones((2, 4))), 8 * ones((3, 2))))
    let applied = vectorize(fn(v, m) = m @ v, signature="(n),(m,n)->(m)")
    assert(array_equal(applied([1, 2], [[[1, 0], [0, 1], [1, 1]]]), [[1, 2, 3]]))
    assert(array_equal(vectorize(fn(a, b) = a + b)([1, 2], [[1], [2]]), [[2, 3], [3, 4]]))
    assert(vectorize(fn(a, b) = a * b, signature="(),()->()")(3, 4) == 12)
    assert(allclose(grad(fn(a) = sum(inner(a, [1.0, 2.0])))(ones((2, 2))), [[1, 2], [1, 2]]))
}

test "windows that begin below 0 count from the end" {
    assert(array_equal(dynamic_slice([1.0, 2.0, 3.0], (-1,), (1,)), [3.0]))
    assert(array_equal(dynamic_slice(arange(12).reshape(3, 4), (-2, -9), (2, 2)), [[4, 5], [8, 9]]))
    assert(array_equal(dynamic_update_slice([1.0, 2.0, 3.0], [9.0], (-1,)), [1.0, 2.0, 9.0]))
    let square = fn(x, i) = sum(dynamic_slice(x, (i,), (1,)) ** 2)
    assert(array_equal(grad(square)([1.0, 2.0, 3.0], -1), [0.0, 0.0, 6.0]))
    assert(
        array_equal(
            vmap(fn(i) = dynamic_slice([1, 2, 3], (i,), (1,)))([-1, -3, 0, 5]),
            [[3], [1], [1], [3]],
        ),
    )
}

test "partition and argpartition go through vmap and grad" {
    assert(array_equal(vmap(fn(x) = partition(x, 1))([[3.0, 1.0, 2.0]]), [[1.0, 2.0, 3.0]]))
    assert(array_equal(vmap(fn(x) = argpartition(x, -1))([[3.0, 1.0, 2.0]]), [[1, 2, 0]]))
    let weighed = fn(x) = sum(partition(x, 1) * [1.0, 2.0, 3.0])
    assert(array_equal(grad(weighed)([3.0, 1.0, 2.0]), [3.0, 1.0, 2.0]))
}

test "roots are zeros of their polynomial and move with it" {
    let sorted = fn(w) = sort(real(w))
    assert(
        allclose(sorted(roots(poly(f64([3, -1, 2])))), [-1, 2, 3]) and
        roots([1, 0, 1]).dtype == c64,
    )
    assert(
        allclose(abs(roots([1.0, 0.0, 1.0])), 1) and
        allclose(real(roots([1.0, 0.0, 1.0])), 0, atol=1e-6),
    )
    assert(allclose(sorted(roots([0.0, 0.0, 2.0, -2.0, 0.0])), [0, 1]))
    assert(
        roots([5.0]).shape == (0,) and
        roots([0.0, 0.0]).shape == (0,) and
        roots(zeros(0)).shape == (0,),
    )
    let fixed = jit(fn(p) = roots(p, strip_zeros=false))
    let w = fixed([0.0, 2.0, -6.0, 4.0])
    assert(w.shape == (3,) and allclose(sorted(w[:2]), [1, 2]) and isnan(w[2]))
    assert(all(isnan(fixed(zeros(3)))))
    # the sum of the squares of the zeros is (b^2 - 2 a c) / a^2
    let squares = fn(p) = real(sum(roots(p, strip_zeros=false) ** 2))
    let p = f64([2, 3, -4])
    assert(allclose(grad(squares)(p), grad(fn(p) = (p[1] ** 2 - 2 * p[0] * p[2]) / p[0] ** 2)(p)))
    assert(allclose(vmap(squares)(stack((p, 3 * p))), squares(p)))
}

test "nan_to_num of complex numbers replaces both parts" {
    let z = nan_to_num(complex([1.0, nan, inf], [nan, 2.0, -inf]), neginf=-5.0)
    assert(array_equal(z, complex([1.0, 0.0, finfo(f32).max], [0.0, 2.0, -5.0])))
    assert(z.dtype == c64)
}

test "index_in_dim counts negative indices from the end" {
    let x = arange(6).reshape((3, 2))
    assert(
        array_equal(index_in_dim(x, -1), [[4, 5]]) and
        array_equal(index_in_dim(x, -2, axis=1), x[:, :1]),
    )
    assert(array_equal(index_in_dim(x, -1, keepdims=false), [4, 5]))
    assert(
        array_equal(index_in_dim(x, 2, axis=0), [[4, 5]]) and
        index_in_dim(x, 1, axis=1).shape == (3, 1),
    )
}
