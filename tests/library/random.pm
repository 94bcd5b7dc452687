# random: shapes, dtypes and bounds. tests/oracle/random_values.pm and module_values.pm compare with JAX.

test "choice without replacement has JAX's shape and says when there is too little" {
    let rows = arange(12).reshape(3, 4)
    assert(random.choice(random.key(0), arange(10), shape=(2, 3), replace=false).shape == (2, 3))
    assert(random.choice(random.key(0), 10, shape=(2, 3), replace=false).shape == (2, 3))
    assert(random.choice(random.key(0), arange(10), replace=false).shape == ())
    assert(
        random.choice(random.key(0), rows, shape=(2, 1), replace=false, axis=1).shape == (3, 2, 1),
    )
    assert(random.choice(random.key(0), rows, shape=(2, 1), axis=1).shape == (3, 2, 1))
    assert(
        array_equal(
            sort(random.choice(random.key(0), arange(6), shape=(2, 3), replace=false), axis=none),
            arange(6),
        ),
    )
}

test "whole numbers of 64 bits are JAX's" {
    let draw = fn(low, high, dtype) = random.randint(random.key(3), (3,), low, high, dtype=dtype)
    assert(array_equal(draw(0, 2 ** 40, i64), i64([757530875643, 403239039534, 35406889877])))
    assert(array_equal(draw(5, 2 ** 33, u64), u64([5936150712, 3885346590, 3954081454])))
    let least = -9223372036854775807 - 1
    assert(
        array_equal(
            draw(least, 9223372036854775807, i64),
            i64([-1802494624579987717, -1710215166975839698, -4229304426182327403]),
        ),
    )
    # bounds outside the range of the dtype
    assert(array_equal(draw(0, 2 ** 32, u32), u32([111646283, 2326751859, 2065972637])))
    assert(array_equal(draw(-2 ** 31, 2 ** 31, i32), [-2035837365, 179268211, -81511011]))
    assert(array_equal(draw(0, 256, u8), u8([75, 115, 157])) and all(draw(3, 2, i64) == 3))
}

test "samplers have the shape, the dtype and the lanes that are asked for" {
    let k = random.key(1)
    for f in (
        random.uniform,
        random.normal,
        random.exponential,
        random.gumbel,
        random.laplace,
        random.logistic,
        random.cauchy,
    ) {
        assert(
            f(k).shape == () and f(k, (2, 0)).shape == (2, 0) and f(k, 3, dtype=f64).dtype == f64,
        )
        assert(f(k, (4,), dtype=bf16).dtype == bf16 and all(isfinite(f(k, (64,), dtype=f16))))
        assert(array_equal(vmap(f)(random.split(k, 3))[1], f(random.split(k, 3)[1])))
        assert(
            array_equal(jit(fn(k) = f(k, (5,)))(k), f(k, (5,))) and
            array_equal(pmap(f)(random.split(k, 2))[1], f(random.split(k, 2)[1])),
        )
    }
    assert(
        random.gamma(k, [1.0, 2.0]).shape == (2,) and random.beta(k, 1.0, [2.0, 3.0]).shape == (2,),
    )
    assert(
        random.dirichlet(k, ones(3), (4,)).shape == (4, 3) and
        allclose(sum(random.dirichlet(k, ones(3), (4,)), axis=-1), 1),
    )
    assert(random.multivariate_normal(k, zeros(2), stack((eye(2), 4 * eye(2)))).shape == (2, 2))
    let t = random.truncated_normal(k, -1.0, 0.5, (500,))
    assert(all(t > -1 and t < 0.5) and random.choice(k, 5, (0,)).shape == (0,))
    let q = random.orthogonal(k, 4, shape=(3,), m=2)
    assert(q.shape == (3, 4, 2) and allclose(q.mT @ q, eye(2), atol=1e-5))
    assert(
        random.orthogonal(k, 2, m=4).shape == (2, 4) and
        random.orthogonal(k, 3, dtype=f64).dtype == f64,
    )
}

test "second derivatives of gamma numbers are NaN" {
    let g = fn(a) = random.gamma(random.key(0), a)
    assert(isfinite(g(2.0)) and isfinite(grad(g)(2.0)))
    assert(isnan(grad(grad(g))(2.0)) and isnan(hessian(g)(2.0)))
    assert(all(isnan(hessian(fn(p) = random.dirichlet(random.key(0), p)[0])([1.0, 2.0, 3.0]))))
    let slope = fn(a) = jvp(g, (a,), (1.0,))[1]
    assert(isfinite(slope(2.0)) and isnan(jvp(slope, (2.0,), (1.0,))[1]))
}

test "without a shape there is one number for each element of the parameters" {
    let k = random.key(11)
    let (one, two) = (full(4, 1.0), full((3, 1), 2.0))
    for draw in (
        random.pareto(k, one),
        random.rayleigh(k, one),
        random.lognormal(k, one),
        random.triangular(k, 0.0, one, two),
    ) {
        assert(draw.shape == if draw.ndim == 1 { (4,) } else { (3, 4) })
        assert(len(unique(ravel(draw))) == draw.size)
    }
    assert(random.geometric(k, full(5, 0.01)).shape == (5,))
    assert(random.rayleigh(k, 2.0).shape == ())
    assert(array_equal(random.rayleigh(k, one), random.rayleigh(k, 1.0, (4,))))
}
