# An interpreted function treats a number as known if compiled code would have to know it. The cases: operations,
# compiled functions whose host work is not reached, changed globals, and functions that get results of other functions.
# Each function exists in two versions, without and with a line of host work, and the results of both are printed.
fn late() { write_text("/dev/null", "") }
fn code(v) = if v.dtype == i32 { 1 } else { 2 }
fn f1(n) {
    let q = maximum(n, 2)
    let z = zeros(n)
    let r = if q > 2 { 100000 } else { 0.5 }
    r * r
}
fn f1l(n) {
    late()
    let q = maximum(n, 2)
    let z = zeros(n)
    let r = if q > 2 { 100000 } else { 0.5 }
    r * r
}
print(f1(3), f1l(3))
fn g2(n, m, x) {
    let z = zeros(n)
    if n > 5 { late() }
    (m * m, x)
}
print(g2(7, 3, [1.0]))
fn f2(x) = g2(3, 100000, x)
print(f2([2.0]))
fn g3(big) {
    late()
    mut s = 0
    for i in 0..3 {
        if big == 1 { let z = zeros(i) }
        s = s * 10 + code(if i < 1 { 1 } else { 0.5 })
    }
    (s, zeros(big))
}
fn g3c(big) {
    mut s = 0
    for i in 0..3 {
        if big == 1 { let z = zeros(i) }
        s = s * 10 + code(if i < 1 { 1 } else { 0.5 })
    }
    (s, zeros(big))
}
print(g3c(2), g3(2))
mut mode = true
fn m3(n) {
    late()
    mut s = 0
    for i in 0..3 {
        if mode { let z = zeros(i) }
        s = s * 10 + code(if i < 1 { 1 } else { 0.5 })
    }
    s
}
fn m3c(n) {
    mut s = 0
    for i in 0..3 {
        if mode { let z = zeros(i) }
        s = s * 10 + code(if i < 1 { 1 } else { 0.5 })
    }
    s
}
print(m3c(2), m3(2))
mode = false
print(m3c(2), m3(2))
fn m4(n) {
    late()
    if mode { let z = zeros(n) }
    code(if n < 2 { 1 } else { 0.5 })
}
fn m4c(n) {
    if mode { let z = zeros(n) }
    code(if n < 2 { 1 } else { 0.5 })
}
print(m4c(1), m4(1))
mode = true
print(m4c(1), m4(1))
fn d3(n) {
    let z = zeros(n)
    mut k = n
    mut s = 0
    for v in [len(zeros(j)) for j in 0..3] {
        s = s * 10 + code(if k < 2 { 1 } else { 0.5 })
        k = k + 1
    }
    s
}
fn d3l(n) {
    late()
    let z = zeros(n)
    mut k = n
    mut s = 0
    for v in [len(zeros(j)) for j in 0..3] {
        s = s * 10 + code(if k < 2 { 1 } else { 0.5 })
        k = k + 1
    }
    s
}
print(d3(1), d3l(1))
mut size = 1
fn g7(n) {
    mut s = 0
    for i in 0..3 {
        let z = zeros(i)
        s = s * 10 + code(if i < 1 { 1 } else { 0.5 })
    }
    let z = zeros(size)
    (s * 10 + code(if size < 2 { 1 } else { 0.5 }), fn(x) = x)
}
fn f7(n) {
    let (a, b) = g7(n)
    a
}
fn f7l(n) {
    late()
    let (a, b) = g7(n)
    a
}
print(f7(1), f7l(1))
fn h11(n, x) {
    let z = zeros(n)
    mut j = n
    if x > 3 { j = n }
    code(if j < 2 { 1 } else { 0.5 })
}
fn h11l(n, x) {
    late()
    let z = zeros(n)
    mut j = n
    if x > 3 { j = n }
    code(if j < 2 { 1 } else { 0.5 })
}
print(h11(1, 1.0), h11l(1, 1.0))

# Results of operations on known numbers are known.
fn all(n) {
    let z = zeros(n)
    let m = n / 2
    (
        code(if maximum(n, 2) > 2 { 1 } else { 0.5 }),
        code(if minimum(n, 2) > 2 { 1 } else { 0.5 }),
        code(if floor(m) > 1 { 1 } else { 0.5 }),
        code(if ceil(m) > 1 { 1 } else { 0.5 }),
        code(if round(m) > 1 { 1 } else { 0.5 }),
        code(if trunc(m) > 1 { 1 } else { 0.5 }),
        code(if sign(n) > 1 { 1 } else { 0.5 }),
        code(if clip(n, 1, 2) > 1 { 1 } else { 0.5 }),
        code(if abs(n + 1j) > 3 { 1 } else { 0.5 }),
        code(if sqrt(m) > 1 { 1 } else { 0.5 }),
        code(if exp(m) > 3 { 1 } else { 0.5 }),
        code(if n ** 2 > 3 { 1 } else { 0.5 }),
        code(if n % 2 > 0 { 1 } else { 0.5 }),
        code(if n // 2 > 0 { 1 } else { 0.5 }),
        code(if int(m) > 1 { 1 } else { 0.5 }),
        code(if float(n) > 2 { 1 } else { 0.5 }),
        code(if f32(n) > 2 { 1 } else { 0.5 }),
        code(if isfinite(m) { 1 } else { 0.5 }),
        code(if not (n > 2) { 1 } else { 0.5 }),
        code(if n > 2 and m > 1 { 1 } else { 0.5 }),
        code(if power(n, 2) > 4 { 1 } else { 0.5 }),
        code(if real(n + 2j) > 2 { 1 } else { 0.5 }),
        code(if (n & 1) > 0 { 1 } else { 0.5 }),
        code(if bool(n - 2) { 1 } else { 0.5 }),
    )
}
fn all_late(n) {
    late()
    let z = zeros(n)
    let m = n / 2
    (
        code(if maximum(n, 2) > 2 { 1 } else { 0.5 }),
        code(if minimum(n, 2) > 2 { 1 } else { 0.5 }),
        code(if floor(m) > 1 { 1 } else { 0.5 }),
        code(if ceil(m) > 1 { 1 } else { 0.5 }),
        code(if round(m) > 1 { 1 } else { 0.5 }),
        code(if trunc(m) > 1 { 1 } else { 0.5 }),
        code(if sign(n) > 1 { 1 } else { 0.5 }),
        code(if clip(n, 1, 2) > 1 { 1 } else { 0.5 }),
        code(if abs(n + 1j) > 3 { 1 } else { 0.5 }),
        code(if sqrt(m) > 1 { 1 } else { 0.5 }),
        code(if exp(m) > 3 { 1 } else { 0.5 }),
        code(if n ** 2 > 3 { 1 } else { 0.5 }),
        code(if n % 2 > 0 { 1 } else { 0.5 }),
        code(if n // 2 > 0 { 1 } else { 0.5 }),
        code(if int(m) > 1 { 1 } else { 0.5 }),
        code(if float(n) > 2 { 1 } else { 0.5 }),
        code(if f32(n) > 2 { 1 } else { 0.5 }),
        code(if isfinite(m) { 1 } else { 0.5 }),
        code(if not (n > 2) { 1 } else { 0.5 }),
        code(if n > 2 and m > 1 { 1 } else { 0.5 }),
        code(if power(n, 2) > 4 { 1 } else { 0.5 }),
        code(if real(n + 2j) > 2 { 1 } else { 0.5 }),
        code(if (n & 1) > 0 { 1 } else { 0.5 }),
        code(if bool(n - 2) { 1 } else { 0.5 }),
    )
}
print(all(3))
print(all_late(3))
print(all(2))
print(all_late(2))

# expect: 1410065408 1410065408
# expect: (9, [1])
# expect: (1410065408, [2])
# expect: (222, [0, 0]) (222, [0, 0])
# expect: 122 122
# expect: 222 222
# expect: 2 2
# expect: 1 1
# expect: 222 222
# expect: 1221 1221
# expect: 1 1
# expect: (1, 2, 2, 1, 1, 2, 2, 1, 1, 1, 1, 1, 1, 1, 2, 1, 1, 1, 2, 1, 1, 1, 1, 1)
# expect: (1, 2, 2, 1, 1, 2, 2, 1, 1, 1, 1, 1, 1, 1, 2, 1, 1, 1, 2, 1, 1, 1, 1, 1)
# expect: (2, 2, 2, 2, 2, 2, 2, 1, 2, 2, 2, 1, 2, 1, 2, 2, 2, 1, 1, 2, 2, 2, 2, 2)
# expect: (2, 2, 2, 2, 2, 2, 2, 1, 2, 2, 2, 1, 2, 1, 2, 2, 2, 1, 1, 2, 2, 2, 2, 2)
