# Parts, membership and equality of tuples and records are the same at the top level and in a compiled function.

print("a" in {a: 1})
fn case1() {
    "a" in {a: 1}
}
print(case1())

print("b" not in {a: 1})
fn case2() {
    "b" not in {a: 1}
}
print(case2())

let x = if 3 > 2 { "a" } else { 1 }
print(x)
fn case3() {
    let x = if 3 > 2 { "a" } else { 1 }
    x
}
print(case3())

let t = (1, 2.5, "a")
print((t[0], t[-1], t[1:], t[:2], len(t), t + (4,), (1, 2) == (1, 2), (1, 2) == (1, 3), t[::-1], t[::2]))
fn case4() {
    let t = (1, 2.5, "a")
    (t[0], t[-1], t[1:], t[:2], len(t), t + (4,), (1, 2) == (1, 2), (1, 2) == (1, 3), t[::-1], t[::2])
}
print(case4())

mut t = (1,)
t += (2, 3)
print(t)
fn case5() {
    mut t = (1,)
    t += (2, 3)
    t
}
print(case5())

print((1,))
fn case6() {
    (1,)
}
print(case6())

print(())
fn case7() {
    ()
}
print(case7())

let w = 1
let b = 2
print({w, b})
fn case8() {
    let w = 1
    let b = 2
    {w, b}
}
print(case8())

let r = {a: 1, b: 2}
print({..r, b: 3, c: 4})
fn case9() {
    let r = {a: 1, b: 2}
    {..r, b: 3, c: 4}
}
print(case9())

let r = {"any text": 1, x: 2}
print((r["any text"], r["x"], r.x))
fn case10() {
    let r = {"any text": 1, x: 2}
    (r["any text"], r["x"], r.x)
}
print(case10())

let r = {b: 1, a: 2}
print((keys(r), values(r), without(r, "b"), r.keys(), "a" in r))
fn case11() {
    let r = {b: 1, a: 2}
    (keys(r), values(r), without(r, "b"), r.keys(), "a" in r)
}
print(case11())

print(without({a: 1, b: 2, c: 3}, "a", "b"))
fn case12() {
    without({a: 1, b: 2, c: 3}, "a", "b")
}
print(case12())

print({a: 1, b: 2} == {b: 2, a: 1})
fn case13() {
    {a: 1, b: 2} == {b: 2, a: 1}
}
print(case13())

print((*(1, 2), 3))
fn case14() {
    (*(1, 2), 3)
}
print(case14())

print((zeros((2, 3)).T.shape, zeros((2, 3)).dtype, zeros((2, 3)).ndim, zeros((2, 3)).size, zeros((2, 3, 4)).mT.shape, [1.0].real, [1.0].imag))
fn case15() {
    (zeros((2, 3)).T.shape, zeros((2, 3)).dtype, zeros((2, 3)).ndim, zeros((2, 3)).size, zeros((2, 3, 4)).mT.shape, [1.0].real, [1.0].imag)
}
print(case15())

let y = (if false { print(3) })
print(y)
fn case16() {
    let y = (if false { print(3) })
    y
}
print(case16())

print((1, "a") == (1, "a"))
fn case17() {
    (1, "a") == (1, "a")
}
print(case17())

# expect: true
# expect: true
# expect: true
# expect: true
# expect: a
# expect: a
# expect: (1, "a", (2.5, "a"), (1, 2.5), 3, (1, 2.5, "a", 4), true, false, ("a", 2.5, 1), (1, "a"))
# expect: (1, "a", (2.5, "a"), (1, 2.5), 3, (1, 2.5, "a", 4), true, false, ("a", 2.5, 1), (1, "a"))
# expect: (1, 2, 3)
# expect: (1, 2, 3)
# expect: (1,)
# expect: (1,)
# expect: ()
# expect: ()
# expect: {w: 1, b: 2}
# expect: {w: 1, b: 2}
# expect: {a: 1, b: 3, c: 4}
# expect: {a: 1, b: 3, c: 4}
# expect: (1, 2, 2)
# expect: (1, 2, 2)
# expect: (("b", "a"), (1, 2), {a: 2}, ("b", "a"), true)
# expect: (("b", "a"), (1, 2), {a: 2}, ("b", "a"), true)
# expect: {c: 3}
# expect: {c: 3}
# expect: true
# expect: true
# expect: (1, 2, 3)
# expect: (1, 2, 3)
# expect: ((3, 2), f32, 2, 6, (2, 4, 3), [1], [0])
# expect: ((3, 2), f32, 2, 6, (2, 4, 3), [1], [0])
# expect: none
# expect: none
# expect: true
# expect: true
