# Types are promoted, and literals are weak, as in JAX.
let i = arange(3)
let f = arange(3.0)
print((i + 1).dtype, (i + 1.5).dtype, (i + f).dtype, (i / 2).dtype, (f * i8(2)).dtype, (u8(200) + u8(100)))
print(f16(1) + f32(1), bf16(3).dtype, (f64(1) + f).dtype, i32(2.9), bool([0, 2]), f.astype(i64).dtype)
print(i8(127) + i8(1), u8(0) - u8(1), i32(7) // i32(-2), i32(7) % i32(-2), -7.5 // 2.0)
print(1.0 / 0.0 * f32(1), f32(0.1) + f32(0.2), f64(0.1) + f64(0.2), f16(65504) * 2)

# expect: i32 f32 f32 f32 f32 44
# expect: 2.0 bf16 f64 2 [false, true] i64
# expect: -128 255 -4 -1 -4.0
# expect: inf 0.3 0.30000000000000004 inf
