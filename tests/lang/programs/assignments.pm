# Assignments to (parts of) `mut` names change no other name, at the top level and in a compiled function.

mut (a, b) = (1, 2)
(a, b) = (b, a)
print((a, b))
fn case1() {
    mut (a, b) = (1, 2)
    (a, b) = (b, a)
    (a, b)
}
print(case1())

mut {w, b} = {w: 1, b: 2}
w += b
print((w, b))
fn case2() {
    mut {w, b} = {w: 1, b: 2}
    w += b
    (w, b)
}
print(case2())

mut t = zeros(3)
mut a = 0
(a, t[1]) = (5, 7.0)
print((a, t))
fn case3() {
    mut t = zeros(3)
    mut a = 0
    (a, t[1]) = (5, 7.0)
    (a, t)
}
print(case3())

mut r = {w: 0, b: 0}
{w: r.b, b: r.w} = {w: 1, b: 2}
print(r)
fn case4() {
    mut r = {w: 0, b: 0}
    {w: r.b, b: r.w} = {w: 1, b: 2}
    r
}
print(case4())

mut r = {f: [{g: 1.0}.g, 2.0], h: {k: (1, 2)}}
r.f[0] += 5
r.h.k[1] = 7
r.h.k.0 = 9
print(r)
fn case5() {
    mut r = {f: [{g: 1.0}.g, 2.0], h: {k: (1, 2)}}
    r.f[0] += 5
    r.h.k[1] = 7
    r.h.k.0 = 9
    r
}
print(case5())

mut t = ({w: zeros(2)}, {w: ones(2)})
t[0].w[1] -= 3
t.1.w *= 4
print(t)
fn case6() {
    mut t = ({w: zeros(2)}, {w: ones(2)})
    t[0].w[1] -= 3
    t.1.w *= 4
    t
}
print(case6())

mut r = {}
r["a"] = 1
r.b = 2
print(r)
fn case7() {
    mut r = {}
    r["a"] = 1
    r.b = 2
    r
}
print(case7())

mut a = zeros(3)
let b = a
a[0] = 1
print((a, b))
fn case8() {
    mut a = zeros(3)
    let b = a
    a[0] = 1
    (a, b)
}
print(case8())

mut a = zeros((2, 3))
a[0][1] = 2
a[1, :] = [7, 8, 9]
a[:, 2] += 1
print(a)
fn case9() {
    mut a = zeros((2, 3))
    a[0][1] = 2
    a[1, :] = [7, 8, 9]
    a[:, 2] += 1
    a
}
print(case9())

mut x = 5
x -= 1
x *= 3
x /= 4
x **= 2
x //= 2
x %= 3
print(x)
fn case10() {
    mut x = 5
    x -= 1
    x *= 3
    x /= 4
    x **= 2
    x //= 2
    x %= 3
    x
}
print(case10())

mut x = 6
x &= 3
x |= 8
x ^= 1
x <<= 2
x >>= 1
print(x)
fn case11() {
    mut x = 6
    x &= 3
    x |= 8
    x ^= 1
    x <<= 2
    x >>= 1
    x
}
print(case11())

mut x = 3
x max= 5
x min= 4
print(x)
fn case12() {
    mut x = 3
    x max= 5
    x min= 4
    x
}
print(case12())

mut x = [1, 5, 3]
x max= 4
x min= 4
print(x)
fn case13() {
    mut x = [1, 5, 3]
    x max= 4
    x min= 4
    x
}
print(case13())

fn f(x) {
    let y = x
}
print(f(1))
fn case14() {
    fn f(x) {
        let y = x
    }
    f(1)
}
print(case14())

let x = 1
let x = "b"
print(x)
fn case15() {
    let x = 1
    let x = "b"
    x
}
print(case15())

mut x = 1
if x == 1 { x = 5 } else { x = 7 }
print(x)
fn case16() {
    mut x = 1
    if x == 1 { x = 5 } else { x = 7 }
    x
}
print(case16())

mut (a, *b) = (1, 2, 3)
b = 4
print((a, b))
fn case17() {
    mut (a, *b) = (1, 2, 3)
    b = 4
    (a, b)
}
print(case17())

let x: f32[3] = zeros(3)
print(x)
fn case18() {
    let x: f32[3] = zeros(3)
    x
}
print(case18())

mut a = (1, 2, 3)
a[0] = "x"
a[-1] = none
print(a)
fn case19() {
    mut a = (1, 2, 3)
    a[0] = "x"
    a[-1] = none
    a
}
print(case19())

mut a = zeros(3)
a = a + 1
a += a
print(a)
fn case20() {
    mut a = zeros(3)
    a = a + 1
    a += a
    a
}
print(case20())

# expect: (2, 1)
# expect: (2, 1)
# expect: (3, 2)
# expect: (3, 2)
# expect: (5, [0, 7, 0])
# expect: (5, [0, 7, 0])
# expect: {w: 2, b: 1}
# expect: {w: 2, b: 1}
# expect: {f: [6, 2], h: {k: (9, 7)}}
# expect: {f: [6, 2], h: {k: (9, 7)}}
# expect: ({w: [0, -3]}, {w: [4, 4]})
# expect: ({w: [0, -3]}, {w: [4, 4]})
# expect: {a: 1, b: 2}
# expect: {a: 1, b: 2}
# expect: ([1, 0, 0], [0, 0, 0])
# expect: ([1, 0, 0], [0, 0, 0])
# expect: [[0, 2, 1], [7, 8, 10]]
# expect: [[0, 2, 1], [7, 8, 10]]
# expect: 1.0
# expect: 1.0
# expect: 22
# expect: 22
# expect: 4
# expect: 4
# expect: [4, 4, 4]
# expect: [4, 4, 4]
# expect: none
# expect: none
# expect: b
# expect: b
# expect: 5
# expect: 5
# expect: (1, 4)
# expect: (1, 4)
# expect: [0, 0, 0]
# expect: [0, 0, 0]
# expect: ("x", 2, none)
# expect: ("x", 2, none)
# expect: [2, 2, 2]
# expect: [2, 2, 2]
