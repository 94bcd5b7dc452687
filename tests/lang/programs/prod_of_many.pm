# Products of floats are computed in f64 and rounded once, also in derivatives, for any number of factors.
fn off(y, wanted) = max(abs(y - wanted) / abs(wanted))
fn near_one(n) = 1 + f32(arange(n) * 7919 % 1009 - 500) / 1e6

# f32 products equal f64 products: over rows, columns, all elements, with operations before and after the product.
fn worst(n) {
    let x = near_one(n)
    let wanted = prod(f64(x))
    let columns = stack((x, x, x, x, x), axis=1)
    max([
        off(prod(x), wanted),
        off(prod(columns, axis=0)[3], wanted),
        off(prod(columns.T, axis=1)[2], wanted),
        off(vmap(prod)(columns.T)[1], wanted),
        off(prod(columns), wanted ** 5),
        off(prod(x, where=x > 0, initial=2) - 1, 2 * wanted - 1),
        off(prod(complex(x, 1e-4)), prod(c128(complex(x, 1e-4)))),
        off(segment(x), wanted),
    ])
}
fn segment(x) = nanprod(where(arange(len(x)) == 5, nan, x)) * f64(x[5])
print(worst(20000) < 1e-7, worst(99) < 1e-7)

# Derivatives in both modes, of second order, and of products over rows.
fn slopes(x) {
    let directions = 1 + arange(len(x)) % 3
    let along = (directions * x).astype(x.dtype)
    let rows = stack((x, x[::-1]), axis=0)
    (
        jvp(prod, (x,), (along,))[1],
        grad(prod)(x),
        jvp(grad(prod), (x,), (along,))[1],
        grad(fn(x) = sum(grad(prod)(x) * directions))(x),
        vmap(grad(prod))(rows)[1],
        grad(fn(rows) = sum(prod(rows, axis=0)))(rows.T.reshape(-1, 2, 1))[3],
        grad(fn(x) = abs(prod(complex(x, 1e-4))))(x),
    )
}
fn worst_slope(n) = max([
    off(some, wanted)
    for (some, wanted) in zip(slopes(near_one(n)), slopes(f64(near_one(n))))
])
print(worst_slope(3000) < 2e-7, worst_slope(4096) < 2e-7, worst_slope(97) < 2e-7)

# Products of halves are rounded once: the product of each prefix equals the rounded product in f64.
fn halves(dtype) {
    let x = (1 + f32(arange(500) * 7919 % 1009 - 500) / 4e3).astype(dtype)
    let rows = where(arange(500) <= arange(500).reshape(-1, 1), x, 1)
    any(prod(rows, axis=1) != prod(f64(rows), axis=1).astype(dtype))
}
print(halves(f16), halves(bf16))

# Products that overflow f32 become finite again, also in derivatives; some factors are zeros, infinities and NaNs.
let wide = where(arange(16) % 4 < 2, 1e30, 1e-30)
print(
    off(prod(wide), 1) < 1e-6,
    off(grad(prod)(wide), 1 / wide) < 1e-6,
    off(jvp(prod, (wide,), (wide,))[1], 16) < 1e-6,
)
print(
    prod([3e38, 3e38, 0.0]),
    prod([2, inf, -3.0]),
    prod([inf, 0.0]),
    prod([2.0, nan]),
    prod([-2.0, 0.0]),
)
print(
    grad(prod)([2.0, 0.0, 3.0, 4.0, 5.0]),
    grad(prod)([0.0, 2.0, 0.0]),
    grad(prod)([7.0]),
    hessian(prod)([0.0, 2.0, 3.0])[0],
)
print(
    grad(prod)([inf, 2.0]),
    prod(zeros((0, 2)), axis=0),
    grad(fn(x) = sum(prod(x, axis=0)))(zeros((1, 2))),
)
print(prod(full(40, 3)), prod(i8([100, 3])), prod(full(70, u64(3))))

# expect: true true
# expect: true true true
# expect: false false
# expect: true true true
# expect: 0.0 -inf nan nan -0.0
# expect: [0, 120, 0, 0, 0] [0, 0, 0] [1] [0, 3, 2]
# expect: [2.0, inf] [1, 1] [[1, 1]]
# expect: 689956897 300 2293070008301402073
