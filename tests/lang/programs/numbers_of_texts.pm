# A dtype makes a number of a text, as `int` and `float` do, at the top level and in functions of every kind.
print(f32("3.5"), i32("12"), f64(" 1e-3\n"), i8("-128"), u8("+7"), f16("65504"), bf16(".5"))
import text
print(f32(("1.5", "2")), i32({a: "3", b: (4.0, "5"), f: sum}).b, array(f32(text.split("1 2 3", " "))))
print(i32("12").dtype, f16("2").dtype, u64("18446744073709551615"), i64("-9223372036854775808"))
print(
    float(" 2.5 "),
    int("\t-3"),
    float("inf"),
    -float("-inf"),
    f32("nan"),
    f32("1e-400"),
    f32("-0"),
)
print(bool("true"), bool(" false "), bool("true").dtype)
print(c64("1+2j"), c128("-2.5e-1-1e+2j"), c64("2j"), c64("-7"), c64("nan-infj"))

# The number is that of the literal in a program, and the text that print writes reads back.
assert(f32("0.1") == 0.1f32 and f64("0.1") == 0.1f64 and bf16("1.01") == 1.01bf16)
for x in (f32(1) / 3, f64(2) / 3, f16(1) / 7, sqrt(c64(-2)) + 0.1, i64(2) ** 62, isnan(0.0)) {
    let read = x.dtype
    assert(read("{x}") == x)
}

# A number of a text is as any other number with its dtype: a size, an operand, an index.
fn scaled(x, s) = x * f32(s) + zeros(i32("2")).sum()
print(scaled([1.0, 2.0], "2.5"), jit(fn(x) = scaled(x, "0.5"))([1.0, 2.0]), [5, 6, 7][i32("1")])
print(grad(fn(x) = x * f32("3"))(2.0), vmap(fn(x) = x + i32("4"))([1, 2]))
print(sum([f32(part) for part in text.split("1,2, 3.5", ",")]), (i16(part) for part in ("1", " 2")))
let read = i64
print(read("5"), map(fn(x) = x * u8("2"), u8([1, 2])), (1, 2).i64(), attempt(fn() = i32("x")).ok)

# expect: 3.5 12 0.001 -128 7 65500.0 0.5
# expect: (1.5, 2.0) (4, 5) [1, 2, 3]
# expect: i32 f16 18446744073709551615 -9223372036854775808
# expect: 2.5 -3 inf inf nan 0.0 -0.0
# expect: true false bool
# expect: 1+2j -0.25-100j 0+2j -7+0j nan-infj
# expect: [2.5, 5.0] [0.5, 1.0] 6
# expect: 3.0 [5, 6]
# expect: 6.5 (1, 2)
# expect: 5 [2, 4] (1, 2) false
