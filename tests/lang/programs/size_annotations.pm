# Annotations check sizes; the name of a size is a value in the body. At the top level and in a compiled function.

fn f(x: f32[n, d], w: f32[d]) -> f32[n] { x @ w * n }
print(f(ones((2, 3)), ones(3)))
fn case1() {
    fn f(x: f32[n, d], w: f32[d]) -> f32[n] { x @ w * n }
    f(ones((2, 3)), ones(3))
}
print(case1())

fn f(x: f32[2 * n + 1], y: f32[n]) = n
print(f(ones(7), ones(3)))
fn case2() {
    fn f(x: f32[2 * n + 1], y: f32[n]) = n
    f(ones(7), ones(3))
}
print(case2())

fn f(x: f32[..., d]) = d
print((f(ones((2, 3))), f(ones(4)), f(ones((1, 2, 5)))))
fn case3() {
    fn f(x: f32[..., d]) = d
    (f(ones((2, 3))), f(ones(4)), f(ones((1, 2, 5))))
}
print(case3())

fn f(x: f32[n, ..., d]) = (n, d)
print(f(ones((2, 3, 4))))
fn case4() {
    fn f(x: f32[n, ..., d]) = (n, d)
    f(ones((2, 3, 4)))
}
print(case4())

fn f(x: _, y: any, s: str, g: fn, k: key) = s
print(f(1, 2, "a", fn(x) = x, random.key(0)))
fn case5() {
    fn f(x: _, y: any, s: str, g: fn, k: key) = s
    f(1, 2, "a", fn(x) = x, random.key(0))
}
print(case5())

fn f(t: (f32, i32[3]), r: {w: f32[n], b: f32}) = n
print(f((1.0, arange(3)), {w: ones(2), b: 1.0, c: 1}))
fn case6() {
    fn f(t: (f32, i32[3]), r: {w: f32[n], b: f32}) = n
    f((1.0, arange(3)), {w: ones(2), b: 1.0, c: 1})
}
print(case6())

fn f(x: bool) = x
print(f(true))
fn case7() {
    fn f(x: bool) = x
    f(true)
}
print(case7())

fn f(x: f32[n]) = zeros(n + 1)
print(f(ones(2)))
fn case8() {
    fn f(x: f32[n]) = zeros(n + 1)
    f(ones(2))
}
print(case8())

fn f(x: f32[n]) { let y: f32[m] = concatenate((x, x)); m }
print(f(ones(2)))
fn case9() {
    fn f(x: f32[n]) { let y: f32[m] = concatenate((x, x)); m }
    f(ones(2))
}
print(case9())

fn f(x: f32[n]) -> f32[2 * n] { concatenate((x, x)) }
print(f(ones(2)))
fn case10() {
    fn f(x: f32[n]) -> f32[2 * n] { concatenate((x, x)) }
    f(ones(2))
}
print(case10())

fn f(x: f32[(n - 5) // 2], y: f32[n]) = n
print(f(ones(1), ones(7)))
fn case11() {
    fn f(x: f32[(n - 5) // 2], y: f32[n]) = n
    f(ones(1), ones(7))
}
print(case11())

let g = fn(x: f32[n], y: f32[n]) = n
print(g(ones(2), ones(2)))
fn case12() {
    let g = fn(x: f32[n], y: f32[n]) = n
    g(ones(2), ones(2))
}
print(case12())

fn f(x: f32[_, 3]) = 1
print(f(ones((2, 3))))
fn case13() {
    fn f(x: f32[_, 3]) = 1
    f(ones((2, 3)))
}
print(case13())

fn f(x: f32[n], *rest) = n + len(rest)
print(f(ones(2), 1, 2))
fn case14() {
    fn f(x: f32[n], *rest) = n + len(rest)
    f(ones(2), 1, 2)
}
print(case14())

fn f(x: f32[n]=ones(4)) = n
print(f())
fn case15() {
    fn f(x: f32[n]=ones(4)) = n
    f()
}
print(case15())

fn f(x: f32[n % 3 + 1], y: f32[n]) = 1
print(f(ones(2), ones(4)))
fn case16() {
    fn f(x: f32[n % 3 + 1], y: f32[n]) = 1
    f(ones(2), ones(4))
}
print(case16())

fn f(x: f32[n]) { if n > 2 { "big" } else { "small" } }
print((f(ones(3)), f(ones(1))))
fn case17() {
    fn f(x: f32[n]) { if n > 2 { "big" } else { "small" } }
    (f(ones(3)), f(ones(1)))
}
print(case17())

fn f(x: f64[n]) = n
print(f(array([1, 2], dtype=f64)))
fn case18() {
    fn f(x: f64[n]) = n
    f(array([1, 2], dtype=f64))
}
print(case18())

fn f(x: f32[0]) = 1
print(f(zeros(0)))
fn case19() {
    fn f(x: f32[0]) = 1
    f(zeros(0))
}
print(case19())

fn outer(x: f32[n]) { fn inner(y: f32[n]) = n; inner(concatenate((x, x))) }
print(outer(ones(2)))
fn case20() {
    fn outer(x: f32[n]) { fn inner(y: f32[n]) = n; inner(concatenate((x, x))) }
    outer(ones(2))
}
print(case20())

fn outer(x: f32[n]) { fn inner(y) = n; inner(1) }
print(outer(ones(2)))
fn case21() {
    fn outer(x: f32[n]) { fn inner(y) = n; inner(1) }
    outer(ones(2))
}
print(case21())

print(vmap(fn(x: f32[n]) = x.sum() * n)(ones((2, 3))))
fn case22() {
    vmap(fn(x: f32[n]) = x.sum() * n)(ones((2, 3)))
}
print(case22())

print(grad(fn(x: f32[n]) = x.sum() * n)(ones(3)))
fn case23() {
    grad(fn(x: f32[n]) = x.sum() * n)(ones(3))
}
print(case23())

let x: (f32, i32) = (1.0, 2)
print(x)
fn case24() {
    let x: (f32, i32) = (1.0, 2)
    x
}
print(case24())

# expect: [6, 6]
# expect: [6, 6]
# expect: 3
# expect: 3
# expect: (3, 4, 5)
# expect: (3, 4, 5)
# expect: (2, 4)
# expect: (2, 4)
# expect: a
# expect: a
# expect: 2
# expect: 2
# expect: true
# expect: true
# expect: [0, 0, 0]
# expect: [0, 0, 0]
# expect: 4
# expect: 4
# expect: [1, 1, 1, 1]
# expect: [1, 1, 1, 1]
# expect: 7
# expect: 7
# expect: 2
# expect: 2
# expect: 1
# expect: 1
# expect: 4
# expect: 4
# expect: 4
# expect: 4
# expect: 1
# expect: 1
# expect: ("big", "small")
# expect: ("big", "small")
# expect: 2
# expect: 2
# expect: 1
# expect: 1
# expect: 4
# expect: 4
# expect: 2
# expect: 2
# expect: [9, 9]
# expect: [9, 9]
# expect: [3, 3, 3]
# expect: [3, 3, 3]
# expect: (1.0, 2)
# expect: (1.0, 2)
