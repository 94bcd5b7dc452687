# Literals, continued lines, and keywords as names mean the same at the top level as in a compiled function.

print((1_000, 0xFF, 1.5, 1., 1e-3, 2f64, 7i64))
fn case1() {
    (1_000, 0xFF, 1.5, 1., 1e-3, 2f64, 7i64)
}
print(case1())

let t = ((1, (2, 3)), 4)
print((t.0.1, t.0.1.1, t.0.0))
fn case2() {
    let t = ((1, (2, 3)), 4)
    (t.0.1, t.0.1.1, t.0.0)
}
print(case2())

let gradx = 2
let r = {grad: 1, let: 2, if: 3, test: 4, as: 5}
print((r.grad, r.let, r.if, r.test, r.as))
fn case3() {
    let gradx = 2
    let r = {grad: 1, let: 2, if: 3, test: 4, as: 5}
    (r.grad, r.let, r.if, r.test, r.as)
}
print(case3())

let g = grad
print(g(fn(x) = x * x)(3.0))
fn case4() {
    let g = grad
    g(fn(x) = x * x)(3.0)
}
print(case4())

let test = 3
let as = 4
print(test + as)
fn case5() {
    let test = 3
    let as = 4
    test + as
}
print(case5())

let x = 1 +
    2
print(x)
fn case6() {
    let x = 1 +
        2
    x
}
print(case6())

let x = [1, 2, 3]
    .sum()
print(x)
fn case7() {
    let x = [1, 2, 3]
        .sum()
    x
}
print(case7())

let y = if true { 1 }
else { 2 }
print(y)
fn case8() {
    let y = if true { 1 }
    else { 2 }
    y
}
print(case8())

let r = {
    a: 1,
    b: 2,
}
print(r)
fn case9() {
    let r = {
        a: 1,
        b: 2,
    }
    r
}
print(case9())

let r = {a: 1}
  with .a = 2
print(r)
fn case10() {
    let r = {a: 1}
      with .a = 2
    r
}
print(case10())

let f = fn(x) {
    let y = x
    y * 2
}
print(f(2))
fn case11() {
    let f = fn(x) {
        let y = x
        y * 2
    }
    f(2)
}
print(case11())

let e = {}
print(e)
fn case12() {
    let e = {}
    e
}
print(case12())

print((fn(x,) = x)(1,))
fn case13() {
    (fn(x,) = x)(1,)
}
print(case13())

let x = [
  1,
  2,
]
print(x)
fn case14() {
    let x = [
      1,
      2,
    ]
    x
}
print(case14())

# expect: (1000, 255, 1.5, 1.0, 0.001, 2.0, 7)
# expect: (1000, 255, 1.5, 1.0, 0.001, 2.0, 7)
# expect: ((2, 3), 3, 1)
# expect: ((2, 3), 3, 1)
# expect: (1, 2, 3, 4, 5)
# expect: (1, 2, 3, 4, 5)
# expect: 6.0
# expect: 6.0
# expect: 7
# expect: 7
# expect: 3
# expect: 3
# expect: 6
# expect: 6
# expect: 1
# expect: 1
# expect: {a: 1, b: 2}
# expect: {a: 1, b: 2}
# expect: {a: 2}
# expect: {a: 2}
# expect: 4
# expect: 4
# expect: {}
# expect: {}
# expect: 1
# expect: 1
# expect: [1, 2]
# expect: [1, 2]
