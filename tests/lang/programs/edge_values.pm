# Edge cases of operations: signed zeros, NaN, large integers, long strides, and loops that may not terminate.

# A loop without iterations does not run its body, whether the body terminates or not.
fn never(x, n) {
    mut i = 0
    mut s = 0.0
    while i < n {
        mut y = x
        while y > 1.0 { y = y / 2.0 }
        s = s + y
        i = i + 1
    }
    s
}
print(never(inf, 0), never(8.0, 3))

# A sum starts with 0, a cumulative sum with its first element.
let z = array([-0.0, -0.0])
fn sums(z) = (1.0 / sum(z), 1.0 / sum(z[:1]), 1.0 / cumsum(z), 1.0 / mean(z.reshape(2, 1), axis=1))
print(sums(z), 1.0 / sum(z), 1.0 / cumsum(z))

# True and floor division of floats by zero.
fn divided(x) = x // 0.0
print(divided(array([1.0, -1.0])), 1.0 // 0.0, divided(0.0))

# A NaN that is the maximum has no derivative, in forward and reverse mode, as in JAX.
let x = array([nan, 1.0])
print(grad(max)(x), jvp(max, (x,), (array([5.0, 7.0]),)).1)

# Literals keep all their digits until they get a dtype.
print(array([9007199254740993, 3], dtype=i64), array([[0.1], [0.2]], dtype=f64), array([5000000000], dtype=u64))
print(f64([[0.1], [3000000000]]), i64([3000000000]), u8([1.7, 2]), i32([]))
print(array([0.1, 16777217.0], dtype=f64)[1], array([1, 2.5]), array([], dtype=i32).dtype)

# A conversion from i64 to a half rounds once.
let big = zeros(1, dtype=i64) + 1157425104234217473
print(big.astype(bf16).astype(f64), (-big).astype(bf16).astype(f64), big.astype(f16))

# Strides of slices may be arbitrarily large.
fn far(x) = x[::4611686018427387904][::4]
print(far(arange(10)), arange(10)[3::4611686018427387904][::3], broadcast_to(arange(10), (5, 10))[::9223372036854775807].shape)
print(grad(nn.relu6)(6.0), grad(nn.relu6)(5.0), nn.relu6(array([-1, 3, 9])))

# expect: 0.0 3.0
# expect: (inf, inf, [-inf, -inf], [inf, inf]) inf [-inf, -inf]
# expect: [inf, -inf] inf nan
# expect: [nan, nan] nan
# expect: [9007199254740993, 3] [[0.1], [0.2]] [5000000000]
# expect: [[0.1], [3000000000.0]] [3000000000] [1, 2] []
# expect: 16777217.0 [1.0, 2.5] i32
# expect: [1.161928703861588e+18] [-1.161928703861588e+18] [inf]
# expect: [0] [3] (1, 10)
# expect: 0.0 1.0 [0, 3, 6]
# The derivative of x ** 0 is 0, except for a float exponent at x = 0, as in JAX; the derivative at NaN is NaN.
print(grad(fn(x) = x ** 0.0)(inf), grad(fn(x, y) = x ** y)(-inf, 0.0), grad(fn(x, y) = x ** y)(0.0, 0.0), heaviside(nan, 0.5))
# expect: 0.0 -0.0 nan nan
# Sums of equal halves over all elements are rounded once; the second derivative of digamma is rounded once.
print(vmap(fn(x) = psum(f16(0.0), "i"), axis_name="i")(zeros(70000))[0], vmap(fn(x) = psum(bf16(3.0), "i"), axis_name="i")(zeros(257))[0])
# expect: 0.0 772.0
let three = [bf16(3.0)]
print(vmap(fn(x) = psum(three, "i"), axis_name="i")(zeros(257))[0])
# expect: [772]
print(grad(grad(digamma))(f16(-2.5)))
# expect: -0.1082
# Statistics of i64 and u64 have dtype f64. A log-sum-exp of infinities is an infinity.
let large = i64([1000000007, 1000000009, 1000000013])
print(mean(large), median(large), abs(var(large) - 56 / 9) < 1e-12, mean(u64([1, 2])).dtype, mean([1, 2]).dtype)
# expect: 1000000009.6666666 1000000009.0 true f64 f32
print(nn.logsumexp([-inf, -inf]), nn.logsumexp([inf, 1.0]), logsumexp([-inf, -inf]))
# expect: -inf inf -inf
