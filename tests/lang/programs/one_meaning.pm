# A line with host work, which makes a function interpreted, changes no value and no dtype of the function.
fn square(n) = n * n
fn square_late(n) {
    let _ = time()
    n * n
}
print(square(100000), square_late(100000), square(0.1), square_late(0.1))

fn decayed(w) = w * 0.999
fn decayed_late(w) {
    let _ = time()
    w * 0.999
}
print(decayed(1 / 3), decayed_late(1 / 3))

fn loop(n) {
    mut w = 1.0
    mut k = 1
    mut done = false
    for i in range(n) {
        w = w * 0.999
        k = k * 7 + i
        done = k > 1000
    }
    let last = if done { 100000 } else { 1 }
    (w, k, w / 3, sin(w) + square(k) / 7, last * last, 7 * last / 3)
}
fn loop_late(n) {
    mut w = 1.0
    mut k = 1
    mut done = false
    for i in range(n) {
        w = w * 0.999
        let _ = time()
        k = k * 7 + i
        done = k > 1000
    }
    let last = if done { 100000 } else { 1 }
    (w, k, w / 3, sin(w) + square(k) / 7, last * last, 7 * last / 3)
}
print(loop(50))
print(loop_late(50))

fn halved(x) {
    mut s = x
    mut n = 1
    while s > 1e-3 {
        s = s / 3
        n = n * 11
    }
    (s, n, n // 7, n % 1000, n >> 3, -n, ~n, minimum(n, 5) * 100000 * 100000)
}
fn halved_late(x) {
    mut s = x
    mut n = 1
    while s > 1e-3 {
        s = s / 3
        n = n * 11
        let _ = time()
    }
    (s, n, n // 7, n % 1000, n >> 3, -n, ~n, minimum(n, 5) * 100000 * 100000)
}
print(halved(1000.0))
print(halved_late(1000.0))

fn early(n) {
    if n > 3 { return 100000 }
    7
}
fn early_late(n) {
    let _ = time()
    if n > 3 { return 100000 }
    7
}
fn of_early(n) = early(n) * early(n)
fn of_early_late(n) {
    let _ = time()
    early_late(n) * early(n)
}
print(of_early(5), of_early_late(5))

# A number that is used as a size does not wrap around at 32 bits. An interpreted comprehension has the same elements as a compiled one.
fn sized_late(n) {
    let _ = time()
    (zeros((n * n, 0)).shape, [i * 0.1 for i in 0..n // 20000])
}
fn sized(n) = [i * 0.1 for i in 0..n // 20000]
print(sized_late(70000), sized(70000))

# Numbers from changing globals, captured numbers, numbers in functions with data of 64 bits, and complex numbers.
mut rate = 0.1
fn with_global(x) = x * rate / 3
fn with_global_late(x) {
    let _ = time()
    x * rate / 3
}
print(with_global(0.7), with_global_late(0.7))
fn wide(x, a) = (x * (a / 3), a / 3)
fn wide_late(x, a) {
    let _ = time()
    (x * (a / 3), a / 3)
}
print(wide(f64([1]), 0.1), wide_late(f64([1]), 0.1))
fn turned(z) = z * 0.7j / 3
fn turned_late(z) {
    let _ = time()
    z * 0.7j / 3
}
print(turned(0.3), turned_late(0.3))
fn made(a) {
    let scale = fn(x) = x * a / 7
    scale(0.3)
}
fn made_late(a) {
    let scale = fn(x) = x * a / 7
    let _ = time()
    scale(0.3)
}
print(made(0.1), made_late(0.1))

# A name that a loop assigns is carried from the first iteration on; a `return` in the loop has a computed number.
fn assigned(n) {
    mut k = 0
    mut x = 0.1
    for i in 0..n {
        k = 2147483647
        x = 0.3
    }
    mut j = 0
    while j < 2 { j = j + 1 }
    (k + 1, f64(x), j * 2000000000)
}
fn assigned_late(n) {
    let _ = time()
    mut k = 0
    mut x = 0.1
    for i in 0..n {
        k = 2147483647
        x = 0.3
    }
    mut j = 0
    while j < 2 { j = j + 1 }
    (k + 1, f64(x), j * 2000000000)
}
print(assigned(3), assigned_late(3))
fn returning(n) {
    for i in 0..n { return 0.3 }
    0.1
}
fn returning_late(n) {
    let _ = time()
    for i in 0..n { return 0.3 }
    0.1
}
fn chosen(n) {
    mut a = f64(zeros(2))
    a[0] = n + 2147483640
    (f64(where(n > 1 and n < 50, 0.3, 0.1)), a, array((n + 2147483640, 0.5)))
}
fn chosen_late(n) {
    let _ = time()
    mut a = f64(zeros(2))
    a[0] = n + 2147483640
    (f64(where(n > 1 and n < 50, 0.3, 0.1)), a, array((n + 2147483640, 0.5)))
}
fn doubles(n) = (f64(returning(n)), chosen(n))
fn doubles_late(n) {
    let _ = time()
    (f64(returning_late(n)), chosen_late(n))
}
print(doubles(20), doubles_late(20))
# Each iteration of a comprehension runs once, and values that it assigns are kept after it.
fn running(xs) {
    let _ = time()
    mut total = 0.0
    let ys = [if true {
            total += x
            total
        } else { 0.0 } for x in xs]
    (total, ys)
}
print(running([1.0, 2.0]))
mut count = 0
let y = where(true, if true {
    count = count + 1
    count
} else { 0 }, 1)
print(count, y)

# A range whose bounds exceed 32 bits has 64-bit elements.
fn beyond(n) {
    let _ = time()
    mut last = i64(0)
    for i in 3000000000..3000000003 { last = i64(i) + n - n }
    last
}
print(beyond(3))

# In a function with data of 64 bits, numbers have 64 bits, also the counters of loops.
fn counted(a, n) {
    mut s = 0
    mut t = 0.0
    for i in 0..5 { s = s + i * 1000000000 }
    for (i, c) in enumerate(2..4) { t = t + i * 3.7 + c * 0.1 }
    let chosen = if n > 1 { n } else { 3 }
    (s, s.dtype, t, n.dtype, (n + 1).dtype, f64(n * 3.7), array((chosen, 0.5)).dtype, a)
}
fn counted_late(a, n) {
    let _ = time()
    mut s = 0
    mut t = 0.0
    for i in 0..5 { s = s + i * 1000000000 }
    for (i, c) in enumerate(2..4) { t = t + i * 3.7 + c * 0.1 }
    let chosen = if n > 1 { n } else { 3 }
    (s, s.dtype, t, n.dtype, (n + 1).dtype, f64(n * 3.7), array((chosen, 0.5)).dtype, a)
}
print(counted(f64([1]), 2))
print(counted_late(f64([1]), 2))
fn turns(a, x) = ((1j * x).dtype, f64(real(1j * x * 1j)), a)
fn turns_late(a, x) {
    let _ = time()
    ((1j * x).dtype, f64(real(1j * x * 1j)), a)
}
print(turns(f64([1]), 0.3), turns_late(f64([1]), 0.3), turns([1], 0.3), turns_late([1], 0.3))

# The result of `float` or `int` of a computed number is a computed number.
fn converted(x, n) {
    mut s = 0.0
    for i in 0..n { s = s + float(i) * x }
    (float(x) / 3, f64(float(x)), float(n) / 7, int(s), int(s) * 1000000000)
}
fn converted_late(x, n) {
    let _ = time()
    mut s = 0.0
    for i in 0..n { s = s + float(i) * x }
    (float(x) / 3, f64(float(x)), float(n) / 7, int(s), int(s) * 1000000000)
}
print(converted(0.3, 5), converted_late(0.3, 5))
fn converted_only(x, n) = (float(x) / 3, f64(float(x)), float(n) / 7, int(x * n), int(x * n) * 1000000000)
fn converted_only_late(x, n) {
    let _ = time()
    (float(x) / 3, f64(float(x)), float(n) / 7, int(x * n), int(x * n) * 1000000000)
}
print(converted_only(1 / 3, 9), converted_only_late(1 / 3, 9))

# expect: 1410065408 1410065408 0.010000001 0.010000001
# expect: 0.333 0.333
# expect: (0.95120627, 1315990474, 0.31706876, -253732144.0, 1410065408, 233333.33)
# expect: (0.95120627, 1315990474, 0.31706876, -253732144.0, 1410065408, 233333.33)
# expect: (0.00062722556, -234981317, -33568760, 683, -29372665, 234981317, 234981316, 698190848)
# expect: (0.00062722556, -234981317, -33568760, 683, -29372665, 234981317, 234981316, 698190848)
# expect: 1410065408 1410065408
# expect: ((4900000000, 0), [0.0, 0.1, 0.2]) [0.0, 0.1, 0.2]
# expect: 0.023333333 0.023333333
# expect: ([0.03333333333333333], 0.03333333333333333) ([0.03333333333333333], 0.03333333333333333)
# expect: 0+0.07j 0+0.07j
# expect: 0.0042857146 0.0042857146
# expect: (-2147483648, 0.30000001192092896, -294967296) (-2147483648, 0.30000001192092896, -294967296)
# expect: (0.30000001192092896, (0.30000001192092896, [-2147483636, 0], [-2147483600.0, 0.5])) (0.30000001192092896, (0.30000001192092896, [-2147483636, 0], [-2147483600.0, 0.5]))
# expect: (3.0, [1, 3])
# expect: 1 1
# expect: 3000000002
# expect: (10000000000, i64, 4.2, i64, i64, 7.4, f64, [1])
# expect: (10000000000, i64, 4.2, i64, i64, 7.4, f64, [1])
# expect: (c128, -0.3, [1]) (c128, -0.3, [1]) (c64, -0.30000001192092896, [1]) (c64, -0.30000001192092896, [1])
# expect: (0.1, 0.30000001192092896, 0.71428573, 3, -1294967296) (0.1, 0.30000001192092896, 0.71428573, 3, -1294967296)
# expect: (0.11111111, 0.3333333432674408, 1.2857143, 3, -1294967296) (0.11111111, 0.3333333432674408, 1.2857143, 3, -1294967296)
