# A bound of a range that is computed from constants alone is known if the trip count must be known.
fn f() {
    let y = sum([1, 3])
    mut (a, b, c, d) = (0, 0, 0, 0)
    for (i, v) in enumerate(1..y) { a += i * v }
    for i in reversed(0..y) { b = b * 10 + i }
    for (i, j) in zip(0..y, (1, 2, 3, 4)) { c += i * j }
    for i in 0..y { d += len(zeros(i)) }
    ([7 for j in 0..y], [j for j in range(y, 0, -1)], array(range(2, y)), tuple(0..y), a, b, c, d)
}
fn of_sizes(x) = [j * 2 for j in 0..sum(arange(len(x)))]
print(f())
print(of_sizes(zeros(3)), vmap(of_sizes)(zeros((2, 3))))
print((fn() = [0.5 for j in 0..max([0, -1])])())

# expect: ([7, 7, 7, 7], [4, 3, 2, 1], [2, 3], (0, 1, 2, 3), 8, 3210, 20, 6)
# expect: [0, 2, 4] [[0, 2, 4], [0, 2, 4]]
# expect: []
