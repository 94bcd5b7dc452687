# Numbers that must be known while a function is compiled; control flow in transformed functions. At the top level and in a compiled function.

fn f(n) = zeros(n).shape
print((f(3), f(4)))
fn case1() {
    fn f(n) = zeros(n).shape
    (f(3), f(4))
}
print(case1())

fn half(n) = n // 2
fn f(n) = zeros(half(n)).shape
print((f(4), f(6)))
fn case2() {
    fn half(n) = n // 2
    fn f(n) = zeros(half(n)).shape
    (f(4), f(6))
}
print(case2())

fn f(n) = zeros(if n > 3 { 4 } else { 5 }).shape
print((f(4), f(2)))
fn case3() {
    fn f(n) = zeros(if n > 3 { 4 } else { 5 }).shape
    (f(4), f(2))
}
print(case3())

fn fact(n) = if n <= 1 { 1 } else { n * fact(n - 1) }
fn f(n) = zeros(fact(n)).shape
print((f(3), f(4)))
fn case4() {
    fn fact(n) = if n <= 1 { 1 } else { n * fact(n - 1) }
    fn f(n) = zeros(fact(n)).shape
    (f(3), f(4))
}
print(case4())

fn area(x, k) = x.shape[0] * k
fn f(x, k) = zeros(area(x, k)).shape
print(f(ones(3), 2))
fn case5() {
    fn area(x, k) = x.shape[0] * k
    fn f(x, k) = zeros(area(x, k)).shape
    f(ones(3), 2)
}
print(case5())

fn out(n, k, s) { let m = (n - k) // s; m + 1 }
fn conv(x, k, s) { let n = out(x.shape[0], k, s); [x[i * s:+k].sum() for i in 0..n] }
print(conv(arange(10.0), 3, 2))
fn case6() {
    fn out(n, k, s) { let m = (n - k) // s; m + 1 }
    fn conv(x, k, s) { let n = out(x.shape[0], k, s); [x[i * s:+k].sum() for i in 0..n] }
    conv(arange(10.0), 3, 2)
}
print(case6())

fn half(n) = n // 2
fn f(w, n) { mut s = 0.0; for i in 0..half(n) { s += w * w }; s }
print(grad(f)(3.0, 6))
fn case7() {
    fn half(n) = n // 2
    fn f(w, n) { mut s = 0.0; for i in 0..half(n) { s += w * w }; s }
    grad(f)(3.0, 6)
}
print(case7())

fn f(w, n) { mut s = 0.0; for i in 0..n { s += w * w }; s }
print(grad(f)(3.0, 6))
fn case8() {
    fn f(w, n) { mut s = 0.0; for i in 0..n { s += w * w }; s }
    grad(f)(3.0, 6)
}
print(case8())

fn f(w, n) { mut s = 0.0; for i in 0..n { s += w * w }; s }
fn g(w, n) = grad(f)(w, n)
print((g(3.0, 6), value_and_grad(f)(3.0, 2)))
fn case9() {
    fn f(w, n) { mut s = 0.0; for i in 0..n { s += w * w }; s }
    fn g(w, n) = grad(f)(w, n)
    (g(3.0, 6), value_and_grad(f)(3.0, 2))
}
print(case9())

fn f(x, a, b) { mut s = 0.0; for i in range(a, b, 2) { s += x * i }; s }
print(grad(f)(2.0, 1, 6))
fn case10() {
    fn f(x, a, b) { mut s = 0.0; for i in range(a, b, 2) { s += x * i }; s }
    grad(f)(2.0, 1, 6)
}
print(case10())

fn f(x) { if x > 0 { return (1, 2) }; (3, 4) }
print(f(1.0))
fn case11() {
    fn f(x) { if x > 0 { return (1, 2) }; (3, 4) }
    f(1.0)
}
print(case11())

fn f(x, mode) { if mode == 1 { return "one" }; if mode == 2 { return "two" }; "other" }
print((f(0, 1), f(0, 2), f(0, 3)))
fn case12() {
    fn f(x, mode) { if mode == 1 { return "one" }; if mode == 2 { return "two" }; "other" }
    (f(0, 1), f(0, 2), f(0, 3))
}
print(case12())

fn f(x, n) { for i in 0..5 { if i == n { return zeros(i) } }; zeros(9) }
print((f(0, 2).shape, f(0, 7).shape))
fn case13() {
    fn f(x, n) { for i in 0..5 { if i == n { return zeros(i) } }; zeros(9) }
    (f(0, 2).shape, f(0, 7).shape)
}
print(case13())

print(vmap(fn(x) = if x > 0 { x } else { -x })([-1.0, 2]))
fn case14() {
    vmap(fn(x) = if x > 0 { x } else { -x })([-1.0, 2])
}
print(case14())

print(vmap(fn(x) { mut n = 0; mut y = x; while y > 1 { y /= 2; n += 1 }; n })([1.0, 8, 100]))
fn case15() {
    vmap(fn(x) { mut n = 0; mut y = x; while y > 1 { y /= 2; n += 1 }; n })([1.0, 8, 100])
}
print(case15())

print(vmap(fn(x, i) = x[i])([[1, 2], [3, 4]], [0, 1]))
fn case16() {
    vmap(fn(x, i) = x[i])([[1, 2], [3, 4]], [0, 1])
}
print(case16())

print(vmap(fn(x, i) = x with [i] += 10)([[1, 2], [3, 4]], [0, 1]))
fn case17() {
    vmap(fn(x, i) = x with [i] += 10)([[1, 2], [3, 4]], [0, 1])
}
print(case17())

print(grad(fn(x) = (x with [1] = 0.0 with [[0, 0]] *= 3.0).sum())([1.0, 2, 3]))
fn case18() {
    grad(fn(x) = (x with [1] = 0.0 with [[0, 0]] *= 3.0).sum())([1.0, 2, 3])
}
print(case18())

print(grad(fn(x) = (x[[0, 0, 2]] * [1.0, 2, 3]).sum() + x[::-1][0])([1.0, 2, 3]))
fn case19() {
    grad(fn(x) = (x[[0, 0, 2]] * [1.0, 2, 3]).sum() + x[::-1][0])([1.0, 2, 3])
}
print(case19())

print(grad(fn(p) = p.w.sum() * p.b)({w: [1.0, 2], b: 3.0}))
fn case20() {
    grad(fn(p) = p.w.sum() * p.b)({w: [1.0, 2], b: 3.0})
}
print(case20())

print(grad(fn(x) { mut s = 0.0; for i in 0..3 { if x[i] > 1 { s += x[i] ** 2 } else { continue }; if i == 1 { break } }; s })([2.0, 3, 4]))
fn case21() {
    grad(fn(x) { mut s = 0.0; for i in 0..3 { if x[i] > 1 { s += x[i] ** 2 } else { continue }; if i == 1 { break } }; s })([2.0, 3, 4])
}
print(case21())

print(grad(fn(x) { for i in 0..3 { if x[i] > 2 { return x[i] * 5 } }; x[0] })([2.0, 3, 4]))
fn case22() {
    grad(fn(x) { for i in 0..3 { if x[i] > 2 { return x[i] * 5 } }; x[0] })([2.0, 3, 4])
}
print(case22())

fn f(x) { mut a = zeros(3); for i in 0..3 { a[i] = x * i }; a.sum() }
print(grad(f)(2.0))
fn case23() {
    fn f(x) { mut a = zeros(3); for i in 0..3 { a[i] = x * i }; a.sum() }
    grad(f)(2.0)
}
print(case23())

fn f(c, m) = c > 0 and m
print(f(1, [true, false]))
fn case24() {
    fn f(c, m) = c > 0 and m
    f(1, [true, false])
}
print(case24())

fn f(x) = x.sum() > 0 and 1 / x.sum() > 0
print(f([1.0, 2]))
fn case25() {
    fn f(x) = x.sum() > 0 and 1 / x.sum() > 0
    f([1.0, 2])
}
print(case25())

print(jit(fn(x) = {a: x, b: "t"})(1.0))
fn case26() {
    jit(fn(x) = {a: x, b: "t"})(1.0)
}
print(case26())

fn make(k) = fn(x) = x * k
print(make(3)(2))
fn case27() {
    fn make(k) = fn(x) = x * k
    make(3)(2)
}
print(case27())

fn f(x) { mut s = 0; for (k, v) in x { s += v * len(k) }; s }
print(f({ab: 2, c: 3}))
fn case28() {
    fn f(x) { mut s = 0; for (k, v) in x { s += v * len(k) }; s }
    f({ab: 2, c: 3})
}
print(case28())

fn f(n) { mut s = 0; for i in reversed(0..n) { s = s * 10 + i }; s }
print(f(3))
fn case29() {
    fn f(n) { mut s = 0; for i in reversed(0..n) { s = s * 10 + i }; s }
    f(3)
}
print(case29())

fn f(n) { mut s = 0; for (i, j) in enumerate(0..n) { s += i * j }; s }
print(f(3))
fn case30() {
    fn f(n) { mut s = 0; for (i, j) in enumerate(0..n) { s += i * j }; s }
    f(3)
}
print(case30())

fn f(n) = [i * i for i in 0..n]
print((f(3), f(0)))
fn case31() {
    fn f(n) = [i * i for i in 0..n]
    (f(3), f(0))
}
print(case31())

fn f(n) = (i * i for i in 0..n)
print(f(3))
fn case32() {
    fn f(n) = (i * i for i in 0..n)
    f(3)
}
print(case32())

fn f(t, i) = t[i]
print((f((1, "a", [3]), 1), f((1, 2), 0)))
fn case33() {
    fn f(t, i) = t[i]
    (f((1, "a", [3]), 1), f((1, 2), 0))
}
print(case33())

fn f(x, n) = x[:n]
print((f(arange(5), 2), f(arange(5), -1)))
fn case34() {
    fn f(x, n) = x[:n]
    (f(arange(5), 2), f(arange(5), -1))
}
print(case34())

fn f(x, ax) = x.sum(axis=ax)
print((f(ones((2, 3)), 0), f(ones((2, 3)), 1)))
fn case35() {
    fn f(x, ax) = x.sum(axis=ax)
    (f(ones((2, 3)), 0), f(ones((2, 3)), 1))
}
print(case35())

fn f(x, s) = x[s:+2] * 2
print(vmap(f, in_axes=(none, 0))(arange(5), [0, 2]))
fn case36() {
    fn f(x, s) = x[s:+2] * 2
    vmap(f, in_axes=(none, 0))(arange(5), [0, 2])
}
print(case36())

fn f(x: f32[n]) { mut s = 0.0; for i in 0..n { s += x[i] }; s }
print(grad(f)(ones(3)))
fn case37() {
    fn f(x: f32[n]) { mut s = 0.0; for i in 0..n { s += x[i] }; s }
    grad(f)(ones(3))
}
print(case37())

# expect: ((3,), (4,))
# expect: ((3,), (4,))
# expect: ((2,), (3,))
# expect: ((2,), (3,))
# expect: ((4,), (5,))
# expect: ((4,), (5,))
# expect: ((6,), (24,))
# expect: ((6,), (24,))
# expect: (6,)
# expect: (6,)
# expect: [3, 9, 15, 21]
# expect: [3, 9, 15, 21]
# expect: 18.0
# expect: 18.0
# expect: 36.0
# expect: 36.0
# expect: (36.0, (18.0, 12.0))
# expect: (36.0, (18.0, 12.0))
# expect: 9.0
# expect: 9.0
# expect: (1, 2)
# expect: (1, 2)
# expect: ("one", "two", "other")
# expect: ("one", "two", "other")
# expect: ((2,), (9,))
# expect: ((2,), (9,))
# expect: [1, 2]
# expect: [1, 2]
# expect: [0, 3, 7]
# expect: [0, 3, 7]
# expect: [1, 4]
# expect: [1, 4]
# expect: [[11, 2], [3, 14]]
# expect: [[11, 2], [3, 14]]
# expect: [9, 0, 1]
# expect: [9, 0, 1]
# expect: [3, 0, 4]
# expect: [3, 0, 4]
# expect: {w: [3, 3], b: 3.0}
# expect: {w: [3, 3], b: 3.0}
# expect: [4, 6, 0]
# expect: [4, 6, 0]
# expect: [0, 5, 0]
# expect: [0, 5, 0]
# expect: 3.0
# expect: 3.0
# expect: [true, false]
# expect: [true, false]
# expect: true
# expect: true
# expect: {a: 1.0, b: "t"}
# expect: {a: 1.0, b: "t"}
# expect: 6
# expect: 6
# expect: 7
# expect: 7
# expect: 210
# expect: 210
# expect: 5
# expect: 5
# expect: ([0, 1, 4], [])
# expect: ([0, 1, 4], [])
# expect: (0, 1, 4)
# expect: (0, 1, 4)
# expect: ("a", 1)
# expect: ("a", 1)
# expect: ([0, 1], [0, 1, 2, 3])
# expect: ([0, 1], [0, 1, 2, 3])
# expect: ([2, 2, 2], [3, 3])
# expect: ([2, 2, 2], [3, 3])
# expect: [[0, 2], [4, 6]]
# expect: [[0, 2], [4, 6]]
# expect: [1, 1, 1]
# expect: [1, 1, 1]
