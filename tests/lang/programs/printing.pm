# Values print as literals with the fewest digits from which their dtype restores the value.
print(1.0, 0.1, 1e10, 1e16, 1e-5, 0.1f32, 1 / 3)
print(f64(1) / 3, f32(1) / 3, f16(1) / 3, bf16(1) / 3, f16(1000.5), bf16(3.14159), f16(65504), bf16(1e38))
print(array([1 / 3, 2.5], dtype=f16), array([1 / 3, 2.5], dtype=bf16), [1 / 3, 2.5], array([1.0, 300], dtype=bf16))
print([1e14], [1e15], [1e10, 1.0], [1e20, 1.0], [inf, 1.0], [nan], [-0.0, 2.0])
print(arange(1000).sum(), arange(1001), arange(1001.0) / 4)
print(zeros((0, 3)), zeros((3, 0)), true, [true, false], none, f32, (1,), (), {})
print((1, "a\"b", "x\n"), {"a b": "c", d: 1.0})
print(1..3, range(0, 10, 2), range(5, 0, -1))
print(18446744073709551615u64, [18446744073709551615u64], "{18446744073709551615u64:x}")
print(arange(2002).reshape(1001, 2))
fn staged(x, h, b) { print(x, h, b, h / 3, (x, [h])); x }
let done = staged([1.0, 2.0], f16(0.1), bf16(0.1))

# expect: 1.0 0.1 10000000000.0 1e+16 1e-05 0.1 0.3333333333333333
# expect: 0.3333333333333333 0.33333334 0.3333 0.334 1000.5 3.14 65500.0 1e+38
# expect: [0.3333, 2.5] [0.334, 2.5] [0.33333334, 2.5] [1, 300]
# expect: [100000000000000] [1000000000000000] [10000000000, 1] [1e+20, 1.0] [inf, 1.0] [nan] [-0, 2]
# expect: 499500 [0, 1, 2, ..., 998, 999, 1000] [0.0, 0.25, 0.5, ..., 249.5, 249.75, 250.0]
# expect: [] [[], [], []] true [true, false] none f32 (1,) () {}
# expect: (1, "a\"b", "x\n") {"a b": "c", d: 1.0}
# expect: 1..3 range(0, 10, 2) range(5, 0, -1)
# expect: 18446744073709551615 [18446744073709551615] ffffffffffffffff
# expect: [[0, 1], [2, 3], [4, 5], ..., [1996, 1997], [1998, 1999], [2000, 2001]]
# expect: [1, 2] 0.1 0.1 0.03333 ([1, 2], [0.1])
