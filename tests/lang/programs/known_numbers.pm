# Arithmetic on known numbers with a dtype has the same results as on arrays of this dtype. Weak operands are converted first. In functions, at top level.
fn all() = (
    f32(0.1) == 0.1, bf16(1) + 0.001, f16(2049) + 1, f32(16777216) + 1, 7.5 // 0.1, -7.5 // 2.0, 7.5 % -2.0,
    7i64 / 2i64, (7i64 / 2).dtype, (7 / 2i32).dtype, sqrt(2i64).dtype, true // true, u8(200) + 100, i8(-128) // i8(-1),
)
print(all())
print(
    f32(0.1) == 0.1, bf16(1) + 0.001, f16(2049) + 1, f32(16777216) + 1, 7.5 // 0.1, -7.5 // 2.0, 7.5 % -2.0,
    7i64 / 2i64, (7i64 / 2).dtype, (7 / 2i32).dtype, sqrt(2i64).dtype, true // true, u8(200) + 100, i8(-128) // i8(-1),
)
print(([true, true] // [true, true]).dtype, ([true, false] << [true, true]), [true, true] ** [true, false])
print(3 in [1, 2, 3], 4 in [1, 2, 3], 4 not in [[1, 2], [3, 4]], vmap(fn(x) = x in [1, 2])([2, 5]))
print([1.0, 2.0].imag, (2.5).imag, rint([1, 2]).dtype)

# A known number that a branch or a loop returns has as many bits as the data of the function.
fn branch(x, n) {
    let p = if n == 0 { 0.1 } else { 0.2 }
    p * x
}
fn turns(x, n) {
    mut p = 0.1
    mut i = 0
    while i < n {
        p = 0.1 + 0.2
        i += 1
    }
    p * x[0]
}
print(branch(f64([1.0]), 0), branch(f64([1.0, 1.0]), 1), turns(f64([1.0]), 2))
fn wide(x, n) {
    mut p = 1
    for i in 0..n { p = p * 2 }
    x * p
}
print(wide(i64([1, 1]), 62))

# expect: (true, 1.0, 2048.0, 16777216.0, 74.0, -4.0, -0.5, 3.5, f64, f32, f64, 1, 44, -128)
# expect: true 1.0 2048.0 16777216.0 74.0 -4.0 -0.5 3.5 f64 f32 f64 1 44 -128
# expect: i32 [2, 0] [1, 1]
# expect: true false false [true, false]
# expect: [0, 0] 0.0 f32
# expect: [0.1] [0.2, 0.2] 0.30000000000000004
# expect: [4611686018427387904, 4611686018427387904]

# Quotients of known integers are rounded down, for operands of all signs, with and without a remainder.
print(6 // -3, -6 // -3, -6 // 3, 7 // -3, -7 // -3, -7 // 3, 6 % -3, 7 % -3, -7 % 3)
# expect: -2 2 -2 -3 2 -3 0 -2 2
