# Running sums and products are accurate to the digits of their dtype at any length: along every axis, from both ends,
# and in derivatives.

# One 2^24, followed by ones: a single f32 accumulator would not change.
let large = where(arange(600) == 0, 16777216.0, 1.0)
print(cumsum(large)[599], cumsum(large[::-1], reverse=true)[0])
print(
    cumsum(large.reshape(600, 1), axis=0)[599, 0],
    cumsum(stack((large, large, large), axis=1), axis=0)[599, 1],
)
# Products that overflow f32 have finite values again after small factors; after a zero all products are zero.
print(
    cumprod(where(arange(8) < 4, 1e20, 1e-20))[6:],
    cumprod(where(arange(20) == 1, 0.0, 3e38))[18:],
)

# If all numbers are equal, each result is known: the product, rounded once.
fn off(y, wanted) = max(abs(y - wanted) / abs(wanted))
fn worst(step, n) {
    let x = full(n, step)
    let wanted = x * (1 + arange(n)).astype(x.dtype)
    let columns = stack((x, x, x, x, x), axis=1)
    max([
        off(cumsum(x), wanted),
        off(cumsum(x, reverse=true)[::-1], wanted),
        off(cumsum(columns, axis=0)[:, 3], wanted),
        off(cumsum(columns, axis=0, reverse=true)[::-1, 4], wanted),
        off(cumsum(columns.T, axis=1)[2], wanted),
        off(vmap(cumsum)(columns.T)[1], wanted),
        off(grad(fn(x) = sum(cumsum(x) * step))(x)[::-1], wanted),
        off(jvp(cumsum, (x,), (x,))[1], wanted),
    ])
}
print(worst(f32(0.1), 20000) < 1e-7, worst(f64(0.1), 20000) < 2e-14)
fn of_products(n) {
    let x = 1 + f32(arange(n) * 7919 % 1000 - 500) / 1e6
    let wanted = f32(cumprod(f64(x)))
    maximum(off(cumprod(x), wanted), off(cumprod(stack((x, x, x), axis=1), axis=0)[:, 1], wanted))
}
print(of_products(20000) < 1e-7)

# Derivatives of running products, and running sums of exponentials with their derivatives, equal those in f64.
fn slopes(f, x) {
    let weights = 1 + arange(len(x)) % 3
    (f(x), jvp(f, (x,), (x,))[1], grad(fn(x) = sum(f(x) * weights))(x))
}
fn wrong(f, x) {
    let (y, along, back) = slopes(f, x)
    let wanted = slopes(f, f64(x))
    max([off(y, wanted[0]), off(along, wanted[1]), off(back, wanted[2])])
}
fn backwards(f) = fn(x) = f(stack((x, x), axis=1), axis=0, reverse=true)[:, 1]
let near_one = 1 + f32(arange(256) * 7919 % 1000 - 500) / 1e6
let waves = 30 * sin(f32(arange(256)))
print(wrong(cumprod, near_one) < 2e-7, wrong(backwards(cumlogsumexp), waves) < 2e-7)
let turning = complex(near_one, 1e-3)
print(off(cumprod(turning), cumprod(c128(turning))) < 2e-7)

# No running sum of nonnegative numbers is less than the previous sum.
fn falls(x) = any(x[1:] < x[:-1])
let some = where(arange(5000) % 3 == 0, 0.0, f32(arange(5000) * 7919 % 10007) / 1e5 + 1e-9)
print(falls(cumsum(some)), falls(cumsum(some, reverse=true)[::-1]))

# An infinity is in all later sums, also if blocks are added in f64.
let ends = where(arange(1100) == 3, inf, f64(1))
print(
    cumsum(ends)[[2, 3, 600, 1099]],
    cumsum(where(arange(1100) == 700, -inf, ends))[[699, 700, 1099]],
)
print(cumsum(-zeros(1100, dtype=f64))[1099])

# expect: 16777816.0 16777816.0
# expect: 16777816.0 16777816.0
# expect: [1e+20, 0.99999994] [0, 0]
# expect: true true
# expect: true
# expect: true true
# expect: true
# expect: false false
# expect: [3.0, inf, inf, inf] [inf, nan, nan]
# expect: -0.0
