# options: --check-nans
# devices: 1 2
# --check-nans reports no error for NaNs that the program writes or reads, and for NaNs of elements that are not used.

# NaNs that the program writes, reads, or replaces.
let data = [1.0, nan, 3.0]
print(data * 2, nan + 1, nanmean(data), nan_to_num(data), where(isnan(data), 0, data))
print(maximum(data, 2), sort(data), sum(data), cumsum(data), [[1.0, nan], [2, 3]] @ ones(2))

# Infinities are no NaNs, and functions of the library may compute with them.
print(
    1 / 0.0,
    log([0.0, 1]),
    [1.0, -2] / 0,
    exp(-inf),
    logaddexp(-inf, -inf),
    logsumexp(array([-inf, -inf])),
)
print(
    nn.softmax([1.0, -inf]),
    sinc([0.0]),
    0.0 ** 0,
    hypot(inf, 1.0),
    [1.0, 2] // 0,
    special.xlogy([0.0, 1], [0.0, 2]),
)

# A branch that is not taken, also under vmap.
fn root(x) = if x > 0 { sqrt(x) } else { 0.0 }
print(root(-1.0), vmap(root)([-4.0, 4.0]), grad(root)(-1.0), vmap(grad(root))([-4.0, 4.0]))
print(grad(fn(x) = sum(vmap(root)(x)))([-4.0, 4.0]))
fn roots(x) {
    mut total = 0.0
    for i in 0..3 { if x > 0 { total = total + sqrt(x) * i } }
    total
}
print(roots(-1.0), grad(roots)(-1.0), vmap(grad(roots))([-4.0, 4.0]), vjp(roots, -1.0)[1](1.0))

# A `where` in a derivative: only the elements that it selects are checked.
fn guarded(x) = sum(where(x > 0, sqrt(abs(x)), x))
print(
    grad(guarded)([0.0, 4.0]),
    jvp(guarded, ([0.0, 4.0],), ([1.0, 1.0],)),
    vmap(grad(guarded))([[0.0], [4.0]]),
)
fn power(x) = sum(where(x > 0, x ** 1.5 * log(where(x > 0, x, 1)), 0))
print(grad(power)([0.0, 1.0]), hessian(power)([0.0, 1.0]))
fn in_a_loop(x) {
    mut y = x
    for i in 0..2 { y = where(y > 0, sqrt(abs(y)), y) }
    sum(y)
}
print(grad(in_a_loop)([0.0, 1.0]))

# NaNs in a pmap.
print(pmap(root)([-4.0, 4.0]), pmap(grad(root))([-4.0, 4.0]))
fn shared(x) = pmean(where(isnan(x), 0, x), "i") + psum(x, "i")
print(pmap(shared, axis_name="i")([nan, 2.0]))

# NaNs of complex numbers.
print(
    [1j, 2] * (1 + 1j),
    sqrt(array([-1 + 0j])),
    exp(1j * [0.0]),
    abs(grad(fn(x) = abs(exp(1j * x)))(1.0)) < 1e-6,
)

# expect: [2.0, nan, 6.0] nan 2.0 [1, 0, 3] [1, 0, 3]
# expect: [2.0, nan, 3.0] [1.0, 3.0, nan] nan [1.0, nan, nan] [nan, 5.0]
# expect: inf [-inf, 0.0] [inf, -inf] 0.0 -inf -inf
# expect: [1, 0] [1] 1.0 inf [inf, inf] [0.0, 0.6931472]
# expect: 0.0 [0, 2] 0.0 [0.0, 0.25]
# expect: [0.0, 0.25]
# expect: 0.0 0.0 [0.0, 0.75] (0.0,)
# expect: [1.0, 0.25] (2.0, 1.25) [[1.0], [0.25]]
# expect: [0, 1] [[0, 0], [0, 2]]
# expect: [1.0, 0.25]
# expect: [0, 2] [0.0, 0.25]
# expect: [nan, nan]
# expect: [-1+1j, 2+2j] [0+1j] [1+0j] true
