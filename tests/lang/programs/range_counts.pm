# The trip counts of computed ranges, for all dtypes of bounds; early returns of numbers without a dtype; operators on elements of a mask.
fn u(n) {
    mut k = 0
    mut l = 0
    for i in range(u8(0), n, 3) {
        k += 1
        l = i32(i)
    }
    (k, l)
}
print(vmap(u)(u8([10, 9, 0, 255])))
fn r(a, b, s) {
    mut k = 0
    mut l = 0i64
    for i in range(a, b, s) {
        k += 1
        l = i64(i)
    }
    (k, l)
}
print(
    r(-2000000000, 2000000000, 1000000000),
    r(i8(-100), i8(100), i8(7)),
    r(u32(0), u32(13), 3),
    r(u32(4000000000), u32(4294967295), u32(100000000)),
    r(u64(3), u64(20), u64(4)),
    r(i64(0), i64(5000000000), i64(1000000000)),
)
print(r(i8(100), i8(-100), i8(-7)), r(3i16, 3i16, 1i16), r(0, u8(9), 2))
fn t(n) = len(range(n))
print(t(5), t(5).dtype, sum([i for i in range(0, 5)]))
fn f(x) {
    if x[0] > 3 { return 2.5 }
    1.5
}
fn g(x) = if x[0] > 3 { 2.5 } else { 1.5 }
print((f16([1.0]) * f([1.0])).dtype, (f16([1.0]) * g([1.0])).dtype)
fn h(x) {
    if x[0] > 3 { return 1 }
    if x[0] > 2 { return 2.5 }
    0
}
print(h([1.0]), h([2.5]), h([4.0]))
fn h2(x) {
    for i in 0..3 {
        if x[i] > 3 { return 1 }
        if x[i] > 2 { return 2.5 }
    }
    0
}
print(h2([1.0, 0, 0]), h2([0, 2.5, 0]), h2([4.0, 0, 0]), f16([1]) * h2([4.0, 0, 0]))
fn z(i, x) {
    mut i = i
    i[x > 2] //= 0
    i
}
print(z([5, 3], [1.0, 1.0]))
mut k = [1.0, 4.0, 9.0]
k[k > 2] **= 0.5
k[[true, false, true]] //= 2
print(k)
fn w(i, x) {
    mut i = i
    i[x > 2] %= 4
    i[x > 2] **= 2
    i
}
print(w([15, 3], [3.0, 1.0]))
# The carried value is the sum of a 32-bit loop index and a number of 64 bits, so it has 64 bits.
fn last(x) {
    mut m = 0
    mut n = 0
    for k in 0..5 {
        while n < 3 and x > 0 {
            m = k + 7
            n += 1
        }
    }
    (m, m.dtype, grad(fn(x) { mut y = x
        mut p = 0
        for k in 0..4 { if y > 0 { p = k % 3
            y = y * x + p } }
        y })(x))
}
print(last(0.5f64))
# expect: ([4, 3, 0, 85], [9, 6, 0, 252])
# expect: (4, 1000000000) (29, 96) (5, 12) (3, 4200000000) (5, 19) (5, 4000000000)
# expect: (29, -96) (0, 0) (5, 8)
# expect: 5 i64 10
# expect: f16 f16
# expect: 0.0 2.5 1.0
# expect: 0.0 2.5 1.0 [1]
# expect: [5, 3]
# expect: [0, 2, 1]
# expect: [9, 3]
# expect: (7, i64, 3.3125)
