# Branches of a computed condition, and iterations of a loop, have one kind, also if the function is interpreted.
fn sides(x, n) {
    let a = if x > 0 { 1 } else { 0.5 }
    mut k = 7
    mut same = 5
    if n > 2 { same = 5 } else {
        k = k / 2
        same = 5
    }
    let t = if x > 0 { (1, {a: 2, b: true}) } else { (n, {a: 2.5, b: false}) }
    let c = if x > 1 { 1 } else if x > 0.5 { 2j } else { 3.5 }
    (a, a / 3, k, k // 2, same * 1000000000 * 5, t, c, where(x > 0, 1, 0.5), if x > 0 { 3 } else { f16(0.5) })
}
fn sides_late(x, n) {
    let _ = time()
    let a = if x > 0 { 1 } else { 0.5 }
    mut k = 7
    mut same = 5
    if n > 2 { same = 5 } else {
        k = k / 2
        same = 5
    }
    let t = if x > 0 { (1, {a: 2, b: true}) } else { (n, {a: 2.5, b: false}) }
    let c = if x > 1 { 1 } else if x > 0.5 { 2j } else { 3.5 }
    (a, a / 3, k, k // 2, same * 1000000000 * 5, t, c, where(x > 0, 1, 0.5), if x > 0 { 3 } else { f16(0.5) })
}
print(sides(2.0, 3))
print(sides_late(2.0, 3))
print(sides(-2.0, 1))
print(sides_late(-2.0, 1))

# Host work in the other branch does not change the kind if the work has no result.
fn logged(x) = if x > 0 { 1 } else { 0.5 }
fn logged_late(x) = if x > 0 { 1 } else {
    write_text("/dev/null", "{x}")
    0.5
}
fn through_late(x) = if x > 0 { 1 } else { logged_late(x) }
print(logged(1.0), logged_late(1.0), through_late(1.0))

# Values of loops: before the first iteration, without iterations, in nested loops.
fn loops(n, xs) {
    mut s = 0
    mut first = 0
    for i in 0..n {
        first = s // 2
        s = s + 0.5
    }
    mut best = 1000
    for x in xs {
        if x < best { best = x }
    }
    mut m = 0
    mut j = 0
    while j < n {
        for i in 0..j { m = m + 1 / (i + 1) }
        j += 1
    }
    (s, first, best, best.dtype, m, j)
}
fn loops_late(n, xs) {
    let _ = time()
    mut s = 0
    mut first = 0
    for i in 0..n {
        first = s // 2
        s = s + 0.5
    }
    mut best = 1000
    for x in xs {
        if x < best { best = x }
    }
    mut m = 0
    mut j = 0
    while j < n {
        for i in 0..j { m = m + 1 / (i + 1) }
        j += 1
    }
    (s, first, best, best.dtype, m, j)
}
print(loops(3, [2.5, 1.5]))
print(loops_late(3, [2.5, 1.5]))
print(loops(0, zeros(0)))
print(loops_late(0, zeros(0)))
print(loops(1, f64([2.5])))
print(loops_late(1, f64([2.5])))

# The results of all `return`s of a function have one kind.
fn early(x) {
    if x > 3 { return 1 }
    for i in 0..5 {
        if i > x { return i }
    }
    0.5
}
fn early_late(x) {
    let _ = time()
    if x > 3 { return 1 }
    for i in 0..5 {
        if i > x { return i }
    }
    0.5
}
print(early(5.0), early(1.5), early(-1.0), early(4.0) / 3)
print(early_late(5.0), early_late(1.5), early_late(-1.0), early_late(4.0) / 3)

# The result of `or` has the shape to which both operands are broadcast.
fn shaped(n, xs) = (n > 1 or xs > 0, n > 1 and xs > 0)
fn shaped_late(n, xs) {
    let _ = time()
    (n > 1 or xs > 0, n > 1 and xs > 0)
}
print(shaped(2, [1, -1]), shaped(0, [1, -1]))
print(shaped_late(2, [1, -1]), shaped_late(0, [1, -1]))

# Tuples to which a loop only appends, and carried tuples, of any length.
fn long(n) {
    mut t = (2147483647,) * 300
    mut grown = ()
    for i in 0..3 { t = t with [0] = 2147483647 }
    (t[0] + n, t[299] + n)
}
fn long_late(n) {
    let _ = time()
    mut t = (2147483647,) * 300
    mut grown = ()
    for i in 0..3 { t = t with [0] = 2147483647 }
    (t[0] + n, t[299] + n)
}
print(long(1), long_late(1))
fn grown(n) {
    let _ = time()
    mut t = ()
    for i in 0..n {
        t = t + (2147483647,)
        for j in 0..2 { t += (i, 0.1) }
    }
    (len(t), t[2995] + 1, f64(t[2997]))
}
print(grown(600))
# A known value decides which branch is compiled; the kinds in a recursion are those of the branches that it takes.
fn power_late(x, n) {
    let _ = time()
    if n == 0 { 1 } else { x * power_late(x, n - 1) }
}
print(power_late(2.5, 3), power_late(2, 3))
# A loop that changes the type of a name is unrolled; the name has a separate type in each iteration.
fn unrolled(n) {
    mut u = 0
    mut v = 0
    for i in 0..3 {
        u = i == n
        v = v + 0.5
    }
    (u, v)
}
fn unrolled_late(n) {
    let _ = time()
    mut u = 0
    mut v = 0
    for i in 0..3 {
        u = i == n
        v = v + 0.5
    }
    (u, v)
}
print(unrolled(2), unrolled_late(2))
# A number that was computed from an array without axes, outside of the function, can be a size in the function.
fn next(n) = n + i32(1)
let two = next(i32(1))
fn sized(x) = zeros(two + 1) + x
print(sized(1.0))
# both branches append an item to a tuple
fn appends(x) {
    mut t = ()
    if x > 0 { t += (1,) } else { t += (2.5,) }
    t
}
fn appends_late(x) {
    let now = time()
    mut t = ()
    if x > 0 { t += (1,) } else { t += (2.5,) }
    t
}
print(appends(1), appends_late(1), appends_late(-1)[0] // 2)

# The type of a branch that is not taken is found, although an index or a divisor in the branch is invalid.
fn at(x, n) = if n < len(x) { x[n] } else { 0 }
fn at_late(x, n) {
    let now = time()
    if n < len(x) { x[n] } else { 0 }
}
fn quotient(t, n) = if n > 0 { t // n * 0.5 } else { t }
fn quotient_late(t, n) {
    let now = time()
    if n > 0 { t // n * 0.5 } else { t }
}
print(at(f64([0.5]), 3).dtype, at_late(f64([0.5]), 3).dtype, at_late(f64([0.5]), 0))
print(quotient(7, 0), quotient_late(7, 0), quotient(7, 2), quotient_late(7, 2))

# expect: (1.0, 0.33333334, 7.0, 3.0, 25000000000, (1, {a: 2.0, b: true}), 1+0j, 1.0, 3.0)
# expect: (1.0, 0.33333334, 7.0, 3.0, 25000000000, (1, {a: 2.0, b: true}), 1+0j, 1.0, 3.0)
# expect: (0.5, 0.16666667, 3.5, 1.0, 25000000000, (1, {a: 2.5, b: false}), 3.5+0j, 0.5, 0.5)
# expect: (0.5, 0.16666667, 3.5, 1.0, 25000000000, (1, {a: 2.5, b: false}), 3.5+0j, 0.5, 0.5)
# expect: 1.0 1.0 1.0
# expect: (1.5, 0.0, 1.5, f32, 2.5, 3)
# expect: (1.5, 0.0, 1.5, f32, 2.5, 3)
# expect: (0.0, 0.0, 1000.0, f32, 0.0, 0)
# expect: (0.0, 0.0, 1000.0, f32, 0.0, 0)
# expect: (0.5, 0.0, 2.5, f64, 0.0, 1)
# expect: (0.5, 0.0, 2.5, f64, 0.0, 1)
# expect: 1.0 2.0 0.0 0.3333333333333333
# expect: 1.0 2.0 0.0 0.3333333333333333
# expect: ([true, true], [true, false]) ([true, false], [false, false])
# expect: ([true, true], [true, false]) ([true, false], [false, false])
# expect: (-2147483648, -2147483648) (-2147483648, -2147483648)
# expect: (3000, 2147483648, 0.1)
# expect: 15.625 8
# expect: (true, 1.5) (true, 1.5)
# expect: [1, 1, 1]
# expect: (1.0,) (1.0,) 1.0
# expect: f64 f64 0.5
# expect: 7.0 7.0 1.5 1.5
