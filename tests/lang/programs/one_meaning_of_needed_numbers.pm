# A number that must be known, and a number captured by a function in a result, are treated as other arguments of the function are.
fn late() {
    write_text("/dev/null", "")
}

# The number is in the result of a function that also returns a function, and in the returned function.
fn squares(a) = (a * a, fn() = a * a)
fn squares_late(a) {
    late()
    (a * a, fn() = a * a)
}
fn called((value, function)) = (value, function())
print(
    called(squares(100000)),
    called(squares_late(100000)),
    called(squares(0.1)),
    called(squares_late(0.1)),
)
fn inside(v) = (called(squares(v)), called(squares(100000)))
fn inside_late(v) {
    late()
    (called(squares(v)), called(squares(100000)))
}
print(inside(100000), inside_late(100000))
fn beside(x, a) = (x * a * a, fn() = a * a)
fn of_beside(x) = called(beside(x, 100000))
fn of_beside_late(x) {
    late()
    called(beside(x, 100000))
}
print(called(beside(i32([1]), 100000)), of_beside(i32([1])), of_beside_late(i32([1])))
print(called(beside(f64([1]), 1 / 3)), "{squares(1 / 3).1()}")

# A number that ends a recursion.
fn product(n) = if n < 2 { 1 } else { n * product(n - 1) }
fn product_late(n) {
    late()
    if n < 2 { 1 } else { n * product_late(n - 1) }
}
print(
    product(13),
    product(13).dtype,
    product_late(13),
    product_late(13).dtype,
    vmap(fn(x) = x * product(5))([1, 2]),
)
fn thirds(x) = if x < 1 { x } else { x / 3 + thirds(x - 0.3) }
fn thirds_late(x) {
    late()
    if x < 1 { x } else { x / 3 + thirds_late(x - 0.3) }
}
print(thirds(2.1), thirds_late(2.1))
fn through(x) = (product(x), thirds(x / 7), x * 0.1)
fn through_late(x) {
    late()
    (product(x), thirds(x / 7), x * 0.1)
}
print(through(13), through_late(13))

# A number that is an operand and a size.
fn sized(n) = (
    zeros(n // 50000).shape,
    n * n,
    n / 7,
    n * 0.1,
    float(n),
    int(n / 3),
    int(n * 0.7) * 100000,
    sqrt(n),
    minimum(n, 3),
    n ** 3,
    n > 5,
    n ** 0.5,
    -n * n,
    array(n * n),
    where(n > 3, n, 2) * n,
    abs(-n) * n,
)
fn sized_late(n) {
    late()
    (
        zeros(n // 50000).shape,
        n * n,
        n / 7,
        n * 0.1,
        float(n),
        int(n / 3),
        int(n * 0.7) * 100000,
        sqrt(n),
        minimum(n, 3),
        n ** 3,
        n > 5,
        n ** 0.5,
        -n * n,
        array(n * n),
        where(n > 3, n, 2) * n,
        abs(-n) * n,
    )
}
print(sized(100000))
print(sized_late(100000))
fn wide(n, a) = (zeros(n // 50000).shape, n * n, n / 7, n * 0.1, sqrt(n), n ** 3, 1 / 3 * n, a)
fn wide_late(n, a) {
    late()
    (zeros(n // 50000).shape, n * n, n / 7, n * 0.1, sqrt(n), n ** 3, 1 / 3 * n, a)
}
print(wide(100001, f64([1])))
print(wide_late(100001, f64([1])))
fn large(n) = zeros((n * n, 0)).shape
print(large(70000), (fn(n) = large(n * 1))(70000))
mut scale = 100000
fn of_global(x) = (zeros(scale // 50000), scale * scale, x)
fn of_global_late(x) {
    late()
    (zeros(scale // 50000), scale * scale, x)
}
print(of_global(1), of_global_late(1))

# A value that is chosen by a condition on the number is treated as a computed number.
fn chosen(n) {
    mut k = 1
    if n > 3 { k = 100000 }
    (zeros(n), k * k, if n > 3 { 100000 } else { 1 }, where(n > 3, 100000, 1) * 100000)
}
fn chosen_late(n) {
    late()
    mut k = 1
    if n > 3 { k = 100000 }
    (zeros(n), k * k, if n > 3 { 100000 } else { 1 }, where(n > 3, 100000, 1) * 100000)
}
print(chosen(4), chosen_late(4))
fn behind(n) {
    let z = zeros(n)
    if n > 3 { return 1 }
    100000
}
fn of_behind(n) = behind(n) * behind(n)
fn of_behind_late(n) {
    late()
    behind(n) * behind(n)
}
fn behind_late(n) {
    late()
    if n > 3 { return 1 }
    100000
}
fn late_of_behind(n) = behind_late(n) * behind_late(n)
print(of_behind(2), of_behind_late(2), late_of_behind(2))
fn deciding(x, n) = if n > 2.5 { (x * n, n * n) } else { x * n }
fn deciding_late(x, n) {
    late()
    if n > 2.5 { (x * n, n * n) } else { x * n }
}
print(
    deciding([1.0], 2.7),
    deciding_late([1.0], 2.7),
    deciding(f16([1.0]), 2.7),
    deciding_late(f16([1.0]), 2.7),
)

# Branches of one shape have one dtype, for any condition; branches of two shapes keep the digits of literals.
fn kinds(a) = (
    if a[0] > 0 { 2.5 } else { i64(7) },
    if a[1] > 0 { true } else { 1 },
    if a[0] > 0 { f16(a) } else { i32(a) },
)
fn kinds_late(a) {
    late()
    (
        if a[0] > 0 { 2.5 } else { i64(7) },
        if a[1] > 0 { true } else { 1 },
        if a[0] > 0 { f16(a) } else { i32(a) },
    )
}
fn with_dtypes(t) = (t, (x.dtype for x in t))
print(with_dtypes(kinds([1.0, -1.0])), with_dtypes(kinds([-1.0, 1.0])))
print(with_dtypes(kinds_late([1.0, -1.0])), with_dtypes(kinds_late([-1.0, 1.0])))
fn long(x) = if x > 0 { 5000000000 } else { [1, 2] }
fn long_late(x) {
    late()
    if x > 0 { 5000000000 } else { [1, 2] }
}
print(long(1.0), long_late(1.0))

# Fields are in the order of the first branch; in a loop, in the order of the initial value.
fn fields(x) = if x > 0 { {a: 1, b: 2.5} } else { {b: 0.5, a: 2} }
fn fields_late(x) {
    late()
    if x > 0 { {a: 1, b: 2.5} } else { {b: 0.5, a: 2} }
}
fn returned(x) {
    if x > 0 { return {a: 1, b: 2.5} }
    {b: 0.5, a: 2}
}
fn returned_late(x) {
    late()
    if x > 0 { return {a: 1, b: 2.5} }
    {b: 0.5, a: 2}
}
fn carried(n) {
    mut r = {a: f32(1), b: f32(2)}
    for i in 0..n { r = {b: r.b + 1, a: r.a} }
    r
}
fn carried_late(n) {
    late()
    mut r = {a: f32(1), b: f32(2)}
    for i in 0..n { r = {b: r.b + 1, a: r.a} }
    r
}
print(fields(1.0), fields(-1.0), returned(1.0), returned(-1.0), carried(1))
print(fields_late(1.0), fields_late(-1.0), returned_late(1.0), returned_late(-1.0), carried_late(1))

# Calls with computed numbers and calls with literals have separate specialisations, in either order of the calls.
fn pick(x, b) = (x, if b { 100000 } else { 2 })
fn picked(n) {
    let a = zeros(n)
    let first = pick(a, n > 3)
    let second = pick(a, true)
    (first.1 * 100000, second.1 * 100000)
}
print(picked(5))
fn parts(n) {
    let a = zeros(n)
    let m = n * 0.1
    (abs(-m) * 3, real(m + 2j) * 3, imag(m * 1j) * 3, abs(m * 1j) * 3)
}
fn parts_late(n) {
    late()
    let m = n * 0.1
    (abs(-m) * 3, real(m + 2j) * 3, imag(m * 1j) * 3, abs(m * 1j) * 3)
}
print(parts(7), parts_late(7))
fn zero(c) = if c > 0 { 0.0 } else { -0.0 }
fn zero_late(c) {
    late()
    if c > 0 { 0.0 } else { -0.0 }
}
print(1 / zero(-1.0), 1 / zero_late(-1.0))

# expect: (1410065408, 1410065408) (1410065408, 1410065408) (0.010000001, 0.010000001) (0.010000001, 0.010000001)
# expect: ((1410065408, 1410065408), (10000000000, 10000000000)) ((1410065408, 1410065408), (10000000000, 10000000000))
# expect: ([1410065408], 1410065408) ([1410065408], 1410065408) ([1410065408], 1410065408)
# expect: ([0.1111111111111111], 0.1111111111111111) 0.11111112
# expect: 1932053504 i32 1932053504 i32 [120, 240]
# expect: 3.1000001 3.1000001
# expect: (1932053504, 2.5142856, 1.3000001) (1932053504, 2.5142856, 1.3000001)
# expect: ((2,), 1410065408, 14285.714, 10000.0, 100000.0, 33333, -1589934592, 316.22775, 3, -1530494976, true, 316.22775, -1410065408, 1410065408, 1410065408, 1410065408)
# expect: ((2,), 1410065408, 14285.714, 10000.0, 100000.0, 33333, -1589934592, 316.22775, 3, -1530494976, true, 316.22775, -1410065408, 1410065408, 1410065408, 1410065408)
# expect: ((2,), 10000200001, 14285.857142857143, 10000.1, 316.2293471517152, 1000030000300001, 33333.666666666664, [1])
# expect: ((2,), 10000200001, 14285.857142857143, 10000.1, 316.2293471517152, 1000030000300001, 33333.666666666664, [1])
# expect: (4900000000, 0) (4900000000, 0)
# expect: ([0, 0], 1410065408, 1) ([0, 0], 1410065408, 1)
# expect: ([0, 0, 0, 0], 1410065408, 100000, 1410065408) ([0, 0, 0, 0], 1410065408, 100000, 1410065408)
# expect: 1410065408 1410065408 1410065408
# expect: ([2.7], 7.2900004) ([2.7], 7.2900004) ([2.7], 7.2900004) ([2.7], 7.2900004)
# expect: ((2.5, 1, [1, -1]), (f64, i64, f16)) ((7.0, 1, [-1, 1]), (f64, i64, f16))
# expect: ((2.5, 1, [1, -1]), (f64, i64, f16)) ((7.0, 1, [-1, 1]), (f64, i64, f16))
# expect: 5000000000 5000000000
# expect: {a: 1, b: 2.5} {a: 2, b: 0.5} {b: 2.5, a: 1} {b: 0.5, a: 2} {a: 1.0, b: 3.0}
# expect: {a: 1, b: 2.5} {a: 2, b: 0.5} {b: 2.5, a: 1} {b: 0.5, a: 2} {a: 1.0, b: 3.0}
# expect: (1410065408, 10000000000)
# expect: (2.1, 2.1, 2.1, 2.1) (2.1, 2.1, 2.1, 2.1)
# expect: -inf -inf
