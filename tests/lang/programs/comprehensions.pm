# Comprehensions over all kinds of values have the same results at the top level and in a compiled function.

print([x * 2 for x in [1, 2, 3]])
fn case1() {
    [x * 2 for x in [1, 2, 3]]
}
print(case1())

print((x * 2 for x in [1, 2, 3]))
fn case2() {
    (x * 2 for x in [1, 2, 3])
}
print(case2())

print((x for (i, x) in enumerate(("a", "b"))))
fn case3() {
    (x for (i, x) in enumerate(("a", "b")))
}
print(case3())

print([i * x for (i, x) in enumerate([5, 6])])
fn case4() {
    [i * x for (i, x) in enumerate([5, 6])]
}
print(case4())

print([a + b for (a, b) in zip([1, 2], [3, 4])])
fn case5() {
    [a + b for (a, b) in zip([1, 2], [3, 4])]
}
print(case5())

print([i for i in reversed(0..3)])
fn case6() {
    [i for i in reversed(0..3)]
}
print(case6())

print([i for i in range(0, 10, 3)])
fn case7() {
    [i for i in range(0, 10, 3)]
}
print(case7())

print([i for i in range(10, 0, -3)])
fn case8() {
    [i for i in range(10, 0, -3)]
}
print(case8())

print([zeros(i) for i in (2, 2)])
fn case9() {
    [zeros(i) for i in (2, 2)]
}
print(case9())

print((zeros(i) for i in 0..3))
fn case10() {
    (zeros(i) for i in 0..3)
}
print(case10())

print([len(c) for c in ("ab", "c")])
fn case11() {
    [len(c) for c in ("ab", "c")]
}
print(case11())

print((c for c in "héy"))
fn case12() {
    (c for c in "héy")
}
print(case12())

print((k for (k, v) in {b: 1, a: 2}))
fn case13() {
    (k for (k, v) in {b: 1, a: 2})
}
print(case13())

print([x for x in []])
fn case14() {
    [x for x in []]
}
print(case14())

print([[i * j for j in 0..3] for i in 0..2])
fn case15() {
    [[i * j for j in 0..3] for i in 0..2]
}
print(case15())

print([a + b for (a, b) in [[1, 2], [3, 4]]])
fn case16() {
    [a + b for (a, b) in [[1, 2], [3, 4]]]
}
print(case16())

# expect: [2, 4, 6]
# expect: [2, 4, 6]
# expect: (2, 4, 6)
# expect: (2, 4, 6)
# expect: ("a", "b")
# expect: ("a", "b")
# expect: [0, 6]
# expect: [0, 6]
# expect: [4, 6]
# expect: [4, 6]
# expect: [2, 1, 0]
# expect: [2, 1, 0]
# expect: [0, 3, 6, 9]
# expect: [0, 3, 6, 9]
# expect: [10, 7, 4, 1]
# expect: [10, 7, 4, 1]
# expect: [[0, 0], [0, 0]]
# expect: [[0, 0], [0, 0]]
# expect: ([], [0], [0, 0])
# expect: ([], [0], [0, 0])
# expect: [2, 1]
# expect: [2, 1]
# expect: ("h", "é", "y")
# expect: ("h", "é", "y")
# expect: ("b", "a")
# expect: ("b", "a")
# expect: []
# expect: []
# expect: [[0, 0, 0], [0, 1, 2]]
# expect: [[0, 0, 0], [0, 1, 2]]
# expect: [3, 7]
# expect: [3, 7]
