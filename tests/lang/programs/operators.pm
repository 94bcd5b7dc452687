# Operators have the same results at the top level and in a compiled function. Integer division and remainder have the divisor's sign.

print(1 + 2 * 3 ** 2)
fn case1() {
    1 + 2 * 3 ** 2
}
print(case1())

print(-2 ** 2)
fn case2() {
    -2 ** 2
}
print(case2())

print(2 ** -1)
fn case3() {
    2 ** -1
}
print(case3())

print(2 ** 3 ** 2)
fn case4() {
    2 ** 3 ** 2
}
print(case4())

print(1 << 2 + 1)
fn case5() {
    1 << 2 + 1
}
print(case5())

print(not 1 == 2 and true)
fn case6() {
    not 1 == 2 and true
}
print(case6())

print(1 < 2 and 2 < 3 or false)
fn case7() {
    1 < 2 and 2 < 3 or false
}
print(case7())

print(~5)
fn case8() {
    ~5
}
print(case8())

print(-7 // 2)
fn case9() {
    -7 // 2
}
print(case9())

print(-7 % 3)
fn case10() {
    -7 % 3
}
print(case10())

print(7 % -3)
fn case11() {
    7 % -3
}
print(case11())

print(7 // -2)
fn case12() {
    7 // -2
}
print(case12())

print(-7.5 // 2)
fn case13() {
    -7.5 // 2
}
print(case13())

print(-7.5 % 2)
fn case14() {
    -7.5 % 2
}
print(case14())

print(7.5 % -2)
fn case15() {
    7.5 % -2
}
print(case15())

print([-7, 7, -6] // [2, -2, 3])
fn case16() {
    [-7, 7, -6] // [2, -2, 3]
}
print(case16())

print([-7, 7, -6] % [3, -3, 3])
fn case17() {
    [-7, 7, -6] % [3, -3, 3]
}
print(case17())

print([-7.5, 7.5] % [2.0, -2.0])
fn case18() {
    [-7.5, 7.5] % [2.0, -2.0]
}
print(case18())

print([-7.5, 7.5] // [2.0, -2.0])
fn case19() {
    [-7.5, 7.5] // [2.0, -2.0]
}
print(case19())

print(7 / 2)
fn case20() {
    7 / 2
}
print(case20())

print(6 / 2)
fn case21() {
    6 / 2
}
print(case21())

print(1 in (1, 2))
fn case22() {
    1 in (1, 2)
}
print(case22())

print("b" in "abc")
fn case23() {
    "b" in "abc"
}
print(case23())

print(3 in [1, 2, 3])
fn case24() {
    3 in [1, 2, 3]
}
print(case24())

let x = 5
print([[1, 2], [3, x]])
fn case25() {
    let x = 5
    [[1, 2], [3, x]]
}
print(case25())

print([*[1, 2], 3])
fn case26() {
    [*[1, 2], 3]
}
print(case26())

print([true, false] and [true, true])
fn case27() {
    [true, false] and [true, true]
}
print(case27())

print([true, false] or false)
fn case28() {
    [true, false] or false
}
print(case28())

print(not [true, false])
fn case29() {
    not [true, false]
}
print(case29())

print([1, 2] @ [3, 4])
fn case30() {
    [1, 2] @ [3, 4]
}
print(case30())

print(2 * -3)
fn case31() {
    2 * -3
}
print(case31())

print(1..3 + 2)
fn case32() {
    1..3 + 2
}
print(case32())

print("a" + "b")
fn case33() {
    "a" + "b"
}
print(case33())

print("a" == "a")
fn case34() {
    "a" == "a"
}
print(case34())

print(none == none)
fn case35() {
    none == none
}
print(case35())

print(f32 == f32)
fn case36() {
    f32 == f32
}
print(case36())

print(3 >> 1)
fn case37() {
    3 >> 1
}
print(case37())

print(-3 >> 1)
fn case38() {
    -3 >> 1
}
print(case38())

# expect: 19
# expect: 19
# expect: -4
# expect: -4
# expect: 0.5
# expect: 0.5
# expect: 512
# expect: 512
# expect: 8
# expect: 8
# expect: true
# expect: true
# expect: true
# expect: true
# expect: -6
# expect: -6
# expect: -4
# expect: -4
# expect: 2
# expect: 2
# expect: -2
# expect: -2
# expect: -4
# expect: -4
# expect: -4.0
# expect: -4.0
# expect: 0.5
# expect: 0.5
# expect: -0.5
# expect: -0.5
# expect: [-4, -4, -2]
# expect: [-4, -4, -2]
# expect: [2, -2, 0]
# expect: [2, -2, 0]
# expect: [0.5, -0.5]
# expect: [0.5, -0.5]
# expect: [-4, -4]
# expect: [-4, -4]
# expect: 3.5
# expect: 3.5
# expect: 3.0
# expect: 3.0
# expect: true
# expect: true
# expect: true
# expect: true
# expect: true
# expect: true
# expect: [[1, 2], [3, 5]]
# expect: [[1, 2], [3, 5]]
# expect: [1, 2, 3]
# expect: [1, 2, 3]
# expect: [true, false]
# expect: [true, false]
# expect: [true, false]
# expect: [true, false]
# expect: [false, true]
# expect: [false, true]
# expect: 11
# expect: 11
# expect: -6
# expect: -6
# expect: 1..5
# expect: 1..5
# expect: ab
# expect: ab
# expect: true
# expect: true
# expect: true
# expect: true
# expect: true
# expect: true
# expect: 1
# expect: 1
# expect: -2
# expect: -2
