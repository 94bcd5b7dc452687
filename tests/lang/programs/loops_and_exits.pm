# Loops over every kind of value, and their exits, have the same results at the top level and in a compiled function.

mut s = 0
for i in 0..5 { s += i }
print(s)
fn case1() {
    mut s = 0
    for i in 0..5 { s += i }
    s
}
print(case1())

mut s = 0
for i in range(3) { s += i }
print(s)
fn case2() {
    mut s = 0
    for i in range(3) { s += i }
    s
}
print(case2())

mut s = zeros(2)
for row in [[1.0, 2], [3, 4]] { s += row }
print(s)
fn case3() {
    mut s = zeros(2)
    for row in [[1.0, 2], [3, 4]] { s += row }
    s
}
print(case3())

mut s = ""
for c in "héy" { s = c + s }
print(s)
fn case4() {
    mut s = ""
    for c in "héy" { s = c + s }
    s
}
print(case4())

mut s = ""
for (k, v) in {b: 1, a: 2} { s += "{k}{v}" }
print(s)
fn case5() {
    mut s = ""
    for (k, v) in {b: 1, a: 2} { s += "{k}{v}" }
    s
}
print(case5())

mut s = 0
for x in (1, 2.5) { s += x }
print(s)
fn case6() {
    mut s = 0
    for x in (1, 2.5) { s += x }
    s
}
print(case6())

mut s = 0
for (i, (a, b)) in enumerate(zip([1, 2], [3, 4])) { s += i * 100 + a * b }
print(s)
fn case7() {
    mut s = 0
    for (i, (a, b)) in enumerate(zip([1, 2], [3, 4])) { s += i * 100 + a * b }
    s
}
print(case7())

mut s = 0
for i in reversed([1, 2, 3]) { s = s * 10 + i }
print(s)
fn case8() {
    mut s = 0
    for i in reversed([1, 2, 3]) { s = s * 10 + i }
    s
}
print(case8())

mut s = 0
for (a, b) in zip(0..3, (5, 6, 7)) { s += a * b }
print(s)
fn case9() {
    mut s = 0
    for (a, b) in zip(0..3, (5, 6, 7)) { s += a * b }
    s
}
print(case9())

mut n = 0
while n < 10 { n += 3 }
print(n)
fn case10() {
    mut n = 0
    while n < 10 { n += 3 }
    n
}
print(case10())

mut n = 0
for i in 0..10 {
    if i == 3 { continue }
    if i == 6 { break }
    n += i
}
print(n)
fn case11() {
    mut n = 0
    for i in 0..10 {
        if i == 3 { continue }
        if i == 6 { break }
        n += i
    }
    n
}
print(case11())

mut n = 0
for i in 0..3 { for j in 0..3 { if j > i { break }; n += 1 } }
print(n)
fn case12() {
    mut n = 0
    for i in 0..3 { for j in 0..3 { if j > i { break }; n += 1 } }
    n
}
print(case12())

mut n = 0
while true { n += 1; if n == 7 { break } }
print(n)
fn case13() {
    mut n = 0
    while true { n += 1; if n == 7 { break } }
    n
}
print(case13())

fn f(x) { for i in 0..5 { if x[i] > 2.0 { return i } }; -1 }
print((f([0.0, 1, 3, 0, 0]), f(zeros(5))))
fn case14() {
    fn f(x) { for i in 0..5 { if x[i] > 2.0 { return i } }; -1 }
    (f([0.0, 1, 3, 0, 0]), f(zeros(5)))
}
print(case14())

fn f(x) { if x > 0 { return 1.0 }; if x < -5 { return 2.0 }; 3.0 }
print((f(1), f(-10), f(-1)))
fn case15() {
    fn f(x) { if x > 0 { return 1.0 }; if x < -5 { return 2.0 }; 3.0 }
    (f(1), f(-10), f(-1))
}
print(case15())

mut i = 0
mut a = [1, 2, 3]
while i < 3 { a[i] *= 2; i += 1 }
print(a)
fn case16() {
    mut i = 0
    mut a = [1, 2, 3]
    while i < 3 { a[i] *= 2; i += 1 }
    a
}
print(case16())

mut a = arange(6.0).reshape(2, 3)
for i in 0..2 { for j in 0..3 { a[i, j] = a[i, j] * 10 + i } }
print(a)
fn case17() {
    mut a = arange(6.0).reshape(2, 3)
    for i in 0..2 { for j in 0..3 { a[i, j] = a[i, j] * 10 + i } }
    a
}
print(case17())

let f = fn(x) {
    if x > 1 { return "big" }
    "small"
}
print((f(1), f(2)))
fn case18() {
    let f = fn(x) {
        if x > 1 { return "big" }
        "small"
    }
    (f(1), f(2))
}
print(case18())

mut x = 0
for i in progress(0..3) { x += i }
print(x)
fn case19() {
    mut x = 0
    for i in progress(0..3) { x += i }
    x
}
print(case19())

# expect: 10
# expect: 10
# expect: 3
# expect: 3
# expect: [4, 6]
# expect: [4, 6]
# expect: yéh
# expect: yéh
# expect: b1a2
# expect: b1a2
# expect: 3.5
# expect: 3.5
# expect: 111
# expect: 111
# expect: 321
# expect: 321
# expect: 20
# expect: 20
# expect: 12
# expect: 12
# expect: 12
# expect: 12
# expect: 6
# expect: 6
# expect: 7
# expect: 7
# expect: (2, -1)
# expect: (2, -1)
# expect: (1.0, 2.0, 3.0)
# expect: (1.0, 2.0, 3.0)
# expect: [2, 4, 6]
# expect: [2, 4, 6]
# expect: [[0, 10, 20], [31, 41, 51]]
# expect: [[0, 10, 20], [31, 41, 51]]
# expect: ("small", "big")
# expect: ("small", "big")
# expect: 3
# expect: 3
