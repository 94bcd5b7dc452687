# Numbers with a dtype that are known while staging have the results of arrays of that dtype.
let one = u64(1)
print(u64(0) - one, ~u64(0) > one, f64(~u64(0)), (~u64(0)) % u64(10), one << 63, (~u64(0)) // u64(3), maximum(~u64(0), one))
print(18446744073709551615u64, [18446744073709551615u64], u64(9223372036854775808u64))
print(f32(0.1) == 0.1, i32(16777217) == f32(16777216), f16(0.1) - 0.1, i32(3) // 0.1, i32(2147483647) % 0.1)
print([f32(0.1)] == 0.1, [i32(16777217)] == f32(16777216), [f16(0.1)] - 0.1, [i32(3)] // 0.1)
print([i32(2)] ** [-1], i8(100) + i8(100), i32(7) // -2, i32(-7) % 3, u8(1) << 9, i8(-128) >> 9)
print(f16(0.1), bf16(0.1), f32(0.1), f64(0.1), f16(65504) * 2, f32(7.0) // 0.0, f32(1.0) // 0.1, [f32(1.0)] // 0.1)
fn g(x) = if f32(x) == 0.1 { "yes" } else { "no" }
print(g(0.1))

# A weak number keeps all its digits if the other operand has 64 bits.
fn scaled(x, p) = x * p
fn repeated(x, p) {
    mut s = 0.0
    for i in 0..3 { s += x * p }
    s
}
print(scaled(f64(2.0), 0.1), repeated(f64(2.0), 0.1), clip(f64(2.0), 0.1, 0.7), scaled([1i64], 3), scaled(2.0, 0.5))
print(grad(scaled, argnums=(0, 1))(f64(2.0), 0.1), vmap(scaled, in_axes=(0, none))(f64([1.0, 2.0]), 0.1))

# A mean of halves does not overflow, and loses no term that is below the precision of the sum.
print(mean(ones(70000, dtype=f16)), var(full(10000, f16(300.0))), mean(f16([1, 2, 4])).dtype, std(bf16([1, 2, 3])))

# expect: 18446744073709551615 true 1.8446744073709552e+19 5 9223372036854775808 6148914691236517205 18446744073709551615
# expect: 18446744073709551615 [18446744073709551615] 9223372036854775808
# expect: true true 0.0 29.0 4.76837158203125e-07
# expect: [true] [true] [0] [29]
# expect: [0] -56 -4 2 0 -1
# expect: 0.1 0.1 0.1 0.1 inf inf 9.0 [9]
# expect: yes
# expect: 0.2 0.6000000000000001 0.7 [3] 1.0
# expect: (0.1, 2.0) [0.1, 0.2]
# expect: 1.0 0.0 f16 0.816
