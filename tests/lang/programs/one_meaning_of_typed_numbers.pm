# Numbers with a dtype, complex numbers, bools and formats have equal results in interpreted and in compiled functions.
fn typed(n, x, k) {
    let wrapped = int(n) + 2000000000
    (wrapped, float(k).dtype, array(int(k)), n * 3, (n * 3).dtype, x / 3, (x / 3).dtype, array((n, 0.5)), k // 7)
}
fn typed_late(n, x, k) {
    let _ = time()
    let wrapped = int(n) + 2000000000
    (wrapped, float(k).dtype, array(int(k)), n * 3, (n * 3).dtype, x / 3, (x / 3).dtype, array((n, 0.5)), k // 7)
}
print(typed(i32(2000000000), f32(0.1), i64(3000000000)))
print(typed_late(i32(2000000000), f32(0.1), i64(3000000000)))
print(typed(i32(2000000000), f32(0.1), u8(200)))
print(typed_late(i32(2000000000), f32(0.1), u8(200)))

fn cast(n, x) = (i64(n) * 3, int(i64(n)).dtype, i32(n) * 2147483647, i8(n).dtype, u8(n) + 250, f16(n) / 3, bool(n) + 1, i32(n > 2) - 2)
fn cast_late(n, x) {
    let _ = time()
    (i64(n) * 3, int(i64(n)).dtype, i32(n) * 2147483647, i8(n).dtype, u8(n) + 250, f16(n) / 3, bool(n) + 1, i32(n > 2) - 2)
}
print(cast(7, 0.5))
print(cast_late(7, 0.5))

# A number with a dtype can be a size of a shape, tuple, range or text.
fn sized(n, k, t) {
    mut s = 0
    for i in 0..n { s += i * 1000000000 }
    (zeros((n, k)).shape, t[n], t[:n], [i * k for i in 0..n], s, "abc"[n], arange(9)[n:+2], (1,) * n, "-" * k, tile([1], n))
}
fn sized_late(n, k, t) {
    let _ = time()
    mut s = 0
    for i in 0..n { s += i * 1000000000 }
    (zeros((n, k)).shape, t[n], t[:n], [i * k for i in 0..n], s, "abc"[n], arange(9)[n:+2], (1,) * n, "-" * k, tile([1], n))
}
print(sized(i32(2), i64(3), (0, 1, 2)))
print(sized_late(i32(2), i64(3), (0, 1, 2)))
print(sized(2, 3, (0, 1, 2)))

# Typed numbers that a condition chooses, and typed numbers that a loop carries.
fn chosen(n, x) {
    mut k = i16(1)
    for i in 0..n { k = k * i16(200) }
    let a = if x > 0 { f32(0.1) } else { f32(0.2) }
    (k, k.dtype, a * 3, a.dtype, where(x > 0, i8(100), i8(1)) * 2)
}
fn chosen_late(n, x) {
    let _ = time()
    mut k = i16(1)
    for i in 0..n { k = k * i16(200) }
    let a = if x > 0 { f32(0.1) } else { f32(0.2) }
    (k, k.dtype, a * 3, a.dtype, where(x > 0, i8(100), i8(1)) * 2)
}
print(chosen(3, 1.0))
print(chosen_late(3, 1.0))

fn parts(n, x, a) = (complex(n, 1.0).dtype, complex(1, n).dtype, complex(x, n) / 3, complex(n, 1.0) * a)
fn parts_late(n, x, a) {
    let _ = time()
    (complex(n, 1.0).dtype, complex(1, n).dtype, complex(x, n) / 3, complex(n, 1.0) * a)
}
print(parts(2, 0.1, f64([1])), parts(2, 0.1, [1]))
print(parts_late(2, 0.1, f64([1])), parts_late(2, 0.1, [1]))

fn shown(n) { print("{n:c}|{n + 66:c}|{n:+}|{n > 1:d}|{n == -1}|{n:08.3f}|{i64(n):x}") }
fn shown_late(n) {
    let _ = time()
    print("{n:c}|{n + 66:c}|{n:+}|{n > 1:d}|{n == -1}|{n:08.3f}|{i64(n):x}")
}
shown(-1)
shown_late(-1)

fn sums(n) = (sum((n, 2000000000)), sum((n, 2)).dtype, max((n, 7)), all((n, 1)), any((n, 0)) and n > 1, all(n))
fn sums_late(n) {
    let _ = time()
    (sum((n, 2000000000)), sum((n, 2)).dtype, max((n, 7)), all((n, 1)), any((n, 0)) and n > 1, all(n))
}
print(sums(2000000000))
print(sums_late(2000000000))

fn of_bools(n) = ((n > 1) // (n > 0), ((n > 1) ** (n > 0)).dtype, (n > 1) + (n > 0), ((n > 1) << (n > 2)) * 2000000000, 2 ** (n - 5))
fn of_bools_late(n) {
    let _ = time()
    ((n > 1) // (n > 0), ((n > 1) ** (n > 0)).dtype, (n > 1) + (n > 0), ((n > 1) << (n > 2)) * 2000000000, 2 ** (n - 5))
}
print(of_bools(3))
print(of_bools_late(3))

# expect: (4000000000, f64, 3000000000, 1705032704, i32, 0.033333335, f32, [2000000000.0, 0.5], 428571428)
# expect: (4000000000, f64, 3000000000, 1705032704, i32, 0.033333335, f32, [2000000000.0, 0.5], 428571428)
# expect: (-294967296, f32, 200, 1705032704, i32, 0.033333335, f32, [2000000000.0, 0.5], 28)
# expect: (-294967296, f32, 200, 1705032704, i32, 0.033333335, f32, [2000000000.0, 0.5], 28)
# expect: (21, i64, 2147483641, i8, 1, 2.334, 2, -1)
# expect: (21, i64, 2147483641, i8, 1, 2.334, 2, -1)
# expect: ((2, 3), 2, (0, 1), [0, 3], 1000000000, "c", [2, 3], (1, 1), "---", [1, 1])
# expect: ((2, 3), 2, (0, 1), [0, 3], 1000000000, "c", [2, 3], (1, 1), "---", [1, 1])
# expect: ((2, 3), 2, (0, 1), [0, 3], 1000000000, "c", [2, 3], (1, 1), "---", [1, 1])
# expect: (4608, i16, 0.3, f32, -56)
# expect: (4608, i16, 0.3, f32, -56)
# expect: (c128, c128, 0.03333333333333333+0.6666666666666666j, [2+1j]) (c64, c64, 0.033333335+0.6666667j, [2+1j])
# expect: (c128, c128, 0.03333333333333333+0.6666666666666666j, [2+1j]) (c64, c64, 0.033333335+0.6666667j, [2+1j])
# expect: �|A|-1|0|true|-001.000|-1
# expect: �|A|-1|0|true|-001.000|-1
# expect: (-294967296, i32, 2000000000, true, true, true)
# expect: (-294967296, i32, 2000000000, true, true, true)
# expect: (1, i32, true, -294967296, 0)
# expect: (1, i32, true, -294967296, 0)
