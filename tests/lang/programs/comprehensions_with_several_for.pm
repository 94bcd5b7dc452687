# Comprehensions with several `for` have the same results at the top level and in a compiled function.

fn grid(x) = [10 * a + b for a in x for b in x]
print(grid([1, 2, 3]), [10 * a + b for a in [1, 2, 3] for b in [1, 2, 3]])
fn triangle() = [10 * i + j for i in 0..4 for j in 0..i]
print(triangle(), triangle().dtype, [10 * i + j for i in 0..4 for j in 0..i].dtype)
fn cube(n) = [(i, j * k) for i in 0..n for j in 0..2 for k in 1..3]
print(cube(2), [(i, j * k) for i in 0..2 for j in 0..2 for k in 1..3])
print(("{a}{b}" for a in "xy" for b in (1, 2)), (b for a in ((), (1, 2)) for b in a))
fn pairs(names) = (a + b for a in names for b in names if a != b)
print(pairs(("a", "b", "c")))
fn chosen() = [i for i in 0..6 if i % 2 == 0 for j in 0..i if j > 2]
print(chosen(), [i for i in 0..6 if i % 2 == 0 for j in 0..i if j > 2])
fn rows(x) = [sum(r) * v for r in x for v in r]
print(rows([[1.0, 2.0], [3.0, 4.0]]), grad(fn(x) = sum(rows(x)))([[1.0, 2.0], [3.0, 4.0]]))
print(vmap(fn(a) = [a * i + j for i in 0..2 for j in 0..2])([1, 2]))
print([a + b for a in zeros((0,)) for b in [1.0]], [1 for i in 0..0 for j in 0..2].shape)
print([{x: i, y: [j, i]} for i in 0..2 for j in 0..2].y.shape)
let by_row = [[i + j for j in 0..2] for i in 0..3]
print(by_row, [x for row in by_row for x in row])

# expect: [11, 12, 13, 21, 22, 23, 31, 32, 33] [11, 12, 13, 21, 22, 23, 31, 32, 33]
# expect: [10, 20, 21, 30, 31, 32] i32 i32
# expect: ([0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 1, 2, 0, 0, 1, 2]) ([0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 1, 2, 0, 0, 1, 2])
# expect: ("x1", "x2", "y1", "y2") (1, 2)
# expect: ("ab", "ac", "ba", "bc", "ca", "cb")
# expect: [4] [4]
# expect: [3, 6, 21, 28] [[6, 6], [14, 14]]
# expect: [[0, 1, 1, 2], [0, 1, 2, 3]]
# expect: [] (0,)
# expect: (4, 2)
# expect: [[0, 1], [1, 2], [2, 3]] [0, 1, 1, 2, 2, 3]
