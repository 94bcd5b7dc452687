# A determinant beyond the dtype is inf with its sign, and not NaN: the products that it is a difference of overflow too.
for n in 1..14 {
    print(n, linalg.det(eye(n) * 1e20), linalg.det(-eye(n) * 1e20))
}
let m = random.normal(random.key(1), (5, 4, 4))
print(
    all(sign(linalg.det(m * 1e15)) == sign(linalg.det(m))),
    linalg.det([[1e30, 1e29], [1e30, 2e30]]),
)
print(
    linalg.det([[inf, 0.0], [0.0, 1.0]]),
    linalg.det(eye(3) * nan),
    linalg.det([[1e-30, 0], [0, 1e30]]),
)
print(
    linalg.det([[1, 2], [3, 7]]),
    grad(linalg.det)(ones((2, 2))),
    hessian(linalg.det)(zeros((2, 2)))[0, 0],
)
print(eye(4, dtype=f64).dtype, linalg.det(eye(4, dtype=f64) * 1e100), linalg.det(zeros((4, 4))) == 0)
# expect: 1 1e+20 -1e+20
# expect: 2 inf inf
# expect: 3 inf -inf
# expect: 4 inf inf
# expect: 5 inf -inf
# expect: 6 inf inf
# expect: 7 inf -inf
# expect: 8 inf inf
# expect: 9 inf -inf
# expect: 10 inf inf
# expect: 11 inf -inf
# expect: 12 inf inf
# expect: 13 inf -inf
# expect: true inf
# expect: inf nan 1.0
# expect: 1.0 [[1, -1], [-1, 1]] [[0, 0], [0, 1]]
# expect: f64 inf true
