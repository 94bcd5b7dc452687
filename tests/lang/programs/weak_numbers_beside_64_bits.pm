# If a compiled function has data of 64 bits, numbers without a dtype, also integers, are passed to it with 64 bits.
fn scaled(x, n) = x * (2 / n)
print(scaled([1f64], 3) == 2f64 / 3, scaled([1.0], 3) == 2.0 / 3)
fn root(x, n) = x + sqrt(n) + log(n) ** (1 / n)
print(root([0f64], 3) == sqrt(3f64) + log(3f64) ** (1f64 / 3))
fn count(k, s) = k * s
print(count([1i64], 0.1) == f64(0.1), count([1i64], 0.1).dtype, count([1i64], 3).dtype, count([1i32], 0.1).dtype)
fn square(x, n) = x + n * n
print(square([0f64], 100000), square([0i64], 100000))
print(grad(fn(x, n) = sum(x ** (1 / n)))([1f64, 8f64], 3) == [1 / 3f64, (1 / 3f64) * 8f64 ** (1 / 3f64 - 1)])

# expect: [true] [true]
# expect: [true]
# expect: [true] f64 i64 f32
# expect: [10000000000] [10000000000]
# expect: [true, true]
