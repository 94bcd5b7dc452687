# Formats that contain values; the options `#` and `c`, as in Python; the dtype of 64-bit integers with floats.
let w = 8
let k = 3
let x = 3.14159
print("[{x:{w}.{k}f}]", "[{42:{w}d}]", "[{x:>{w + 2}}]", "[{x:{">"}{w}.{k}}]", "{"[{x:{w}}]":*^20}")
fn f(x, w) = "[{sum(x):{w}.2f}]"
print(f(ones(3), 9))
print("[{42:14c}]", "{1e20:#} {0.5:#.3} {-2.5:_<#,.3} {5.0:#.1} {3.0:#.0} {1e20:#.2} {12.0:#.1}")
print(
    (i64([1]) / 2.0).dtype,
    (i64([16777217]) * 1.0),
    (i64([2]) ** 0.5).dtype,
    (i8([1]) + u64([1])).dtype,
    ((i64([1]) * 1.0) + f32([1])).dtype,
    (i32([1]) * 1.0).dtype,
    (arange(3) * 1.5).dtype,
    (i64([1]) * 1.0 * f16([1])).dtype,
)
fn g(n) = n * 1.5
print(g(i64(3)), g(i64(3)).dtype, g(3).dtype, [i64(2), 1.5].dtype)
# expect: [   3.142] [      42] [   3.14159] [    3.14] *****[ 3.14159]*****
# expect: [     3.00]
# expect: [             *] 1.e+20 0.500 -2.50 5.e+00 3.e+00 1.0e+20 1.e+01
# expect: f64 [16777217] f64 f64 f32 f32 f32 f16
# expect: 4.5 f64 f32 f64
