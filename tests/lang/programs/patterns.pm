# Patterns in let, mut, parameters and assignments bind the same values at the top level and in a compiled function.

let (a, _, *rest) = (1, 2, 3, 4)
print((a, rest))
fn case1() {
    let (a, _, *rest) = (1, 2, 3, 4)
    (a, rest)
}
print(case1())

let (*rest, z) = (1, 2, 3)
print((rest, z))
fn case2() {
    let (*rest, z) = (1, 2, 3)
    (rest, z)
}
print(case2())

let (a, *mid, z) = [1, 2, 3, 4]
print((a, mid, z))
fn case3() {
    let (a, *mid, z) = [1, 2, 3, 4]
    (a, mid, z)
}
print(case3())

let (a, (b, c), {w, b: bias}) = (1, [2, 3], {w: 4, b: 5, x: 6})
print((a, b, c, w, bias))
fn case4() {
    let (a, (b, c), {w, b: bias}) = (1, [2, 3], {w: 4, b: 5, x: 6})
    (a, b, c, w, bias)
}
print(case4())

let (r0, r1) = [[1, 2], [3, 4]]
print((r0, r1))
fn case5() {
    let (r0, r1) = [[1, 2], [3, 4]]
    (r0, r1)
}
print(case5())

let f = fn((a, b), {w}) = a + b + w
print(f((1, 2), {w: 3}))
fn case6() {
    let f = fn((a, b), {w}) = a + b + w
    f((1, 2), {w: 3})
}
print(case6())

fn f((a, b), *rest) = (a, b, rest)
print(f((1, 2), 3, 4))
fn case7() {
    fn f((a, b), *rest) = (a, b, rest)
    f((1, 2), 3, 4)
}
print(case7())

# expect: (1, (3, 4))
# expect: (1, (3, 4))
# expect: ((1, 2), 3)
# expect: ((1, 2), 3)
# expect: (1, (2, 3), 4)
# expect: (1, (2, 3), 4)
# expect: (1, 2, 3, 4, 5)
# expect: (1, 2, 3, 4, 5)
# expect: ([1, 2], [3, 4])
# expect: ([1, 2], [3, 4])
# expect: 6
# expect: 6
# expect: (1, 2, (3, 4))
# expect: (1, 2, (3, 4))
