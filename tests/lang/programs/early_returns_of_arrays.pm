# A loop that may return one of its arrays, changed or unchanged, from several places; inner loops; unreturned arrays.
fn f(x, limit) {
    mut x = x
    for i in 0..5 {
        if x[i] > limit { return x }
        if x[i] < -limit { return x * 2 }
        if x[i] == 3 { break }
        for k in 0..2 {
            if x[k] + i > 6 { return x + 1 }
            if x[k] == 2 { continue }
            x[k + 1] += 1
        }
        x[i + 1] = 0.5 * x[i] + x[i + 1]
    }
    x - 100
}
for (x, limit) in (
    ([0.0, 0, 0, 0, 0, 0], 5),
    ([6.0, 0, 0, 0, 0, 0], 5),
    ([0.0, -8, 0, 0, 0, 0], 5),
    ([1.0, 1, 1, 1, 1, 1], 50),
    ([2.0, 1, 0, 0, 0, 0], 50),
    ([0.0, 0, 3, 0, 0, 0], 9),
    ([0.0, 2, 0, 0, 0, 0], 1),
) {
    print(f(x, limit))
}
# expect: [1.0, 5.0, 4.0, 2.5, 1.0, 1.0]
# expect: [6, 0, 0, 0, 0, 0]
# expect: [0, -14, 2, 0, 0, 0]
# expect: [2.0, 5.5, 4.75, 2.0, 2.0, 2.0]
# expect: [-98.0, -98.0, -98.0, -99.0, -99.5, -99.75]
# expect: [-100, -97, -94, -97, -100, -100]
# expect: [0, 3, 1, 0, 0, 0]
print(
    vmap(f, in_axes=(0, none))([[0.0, 0, 0, 0, 0, 0], [6, 0, 0, 0, 0, 0], [0, -8, 0, 0, 0, 0]], 5),
)
# expect: [[1.0, 5.0, 4.0, 2.5, 1.0, 1.0], [6.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0, -14.0, 2.0, 0.0, 0.0, 0.0]]
print(
    grad(fn(x) = sum(f(x, 5)))([0.0, 0, 0, 0, 0, 0]),
    grad(fn(x) = sum(f(x, 5)))([0.0, -8, 0, 0, 0, 0]),
)
# expect: [1.875, 1.75, 1.5, 1.0, 1.0, 1.0] [3, 2, 2, 2, 2, 2]

# A `while` returns a tree; the iterations that do not return update both arrays of the tree.
fn g(a, b, n) {
    mut a = a
    mut b = b
    mut i = 0
    while true {
        if i == n { return {a, b, from: "first"} }
        a[i] = b[0] + 1
        if sum(a) > 17 { return {a: b, b: a, from: "first"} }
        b[0] = a[i] * 2
        i += 1
    }
}
print(g(zeros(3), ones(3), 2), g(zeros(3), ones(3), 3))
# expect: {a: [2, 5, 0], b: [10, 1, 1], from: "first"} {a: [10, 1, 1], b: [2, 5, 11], from: "first"}
