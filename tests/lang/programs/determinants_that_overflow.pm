# If the product of pivots overflows, a determinant is computed from their logarithms; its derivatives need no product.
for n in 1..15 {
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
print(
    linalg.det(eye(4, dtype=f64) * 1e100),
    linalg.det(zeros((4, 4))) == 0,
    linalg.det(stack((eye(3) * 1e20, eye(3) * 2))),
)
print(
    linalg.det(diag([1e20, 1e20, 1e-20, 1e-20])),
    linalg.det(diag([1e30, 1e10, 0])),
    vmap(linalg.det)(m * 1e20) == linalg.det(m * 1e20),
)
print(
    linalg.det([[1e30, 0, 0], [0, 1e10, 1e10], [0, 1e10, 1e10]]),
    linalg.det(f16([[300, 1], [1, 300]])),
)
print(
    grad(linalg.det)(eye(2) * 1e20),
    grad(linalg.det)(f16([[300, 1], [1, 300]])),
    jvp(linalg.det, (eye(2) * 1e20,), (eye(2),)),
)
print(vmap(grad(linalg.det))(stack((eye(2, dtype=f64) * 1e200, eye(2, dtype=f64))))[:, 0, 0])
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
# expect: 14 inf inf
# expect: true inf
# expect: inf nan 1.0
# expect: 1.0 [[1, -1], [-1, 1]] [[0, 0], [0, 1]]
# expect: inf true [inf, 8.0]
# expect: 1.0 0.0 [true, true, true, true, true]
# expect: 0.0 inf
# expect: [[1e+20, 0.0], [-0.0, 1e+20]] [[300, -1], [-1, 300]] (inf, 2e+20)
# expect: [1e+200, 1.0]
