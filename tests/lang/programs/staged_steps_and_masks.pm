# Ranges whose step is a computed number; updates of the elements for which a computed mask is true.
fn sieve(n) {
    mut p = ones(n, bool)
    p[0] = false
    p[1] = false
    for i in 2..40 { for j in range(i * i, n, i) { p[j] = false } }
    sum(p)
}
print(sieve(1000))
fn turns(a, b, s) {
    mut l = 0
    mut last = -1
    for i in range(a, b, s) {
        l += 1
        last = i
    }
    (l, last)
}
print(
    turns(0, 10, 3),
    turns(10, 0, -3),
    turns(0, 10, -1),
    turns(0, -9, -2),
    turns(5, 5, 1),
    turns(0, 9, 3),
)
print(vmap(turns)([0, 10, 0, 0, 5], [10, 0, 10, -9, 5], [3, -3, -1, -2, 1]))
let x = [1.0, 3.0, 2.0]
fn k(x) {
    mut c = 0
    for i in range(0, 10, argmax(x)) { c += i }
    c
}
print(k(x))
fn m(x) = x with [x > 2] = 0
print(m(arange(4)), m(arange(12.0).reshape(3, 4)))
fn m2(x) {
    mut x = x
    x[x[:, 0] > 2] += [1, 2, 3, 4]
    x[..., x[0] == 1] *= -1
    x
}
print(m2(arange(12.0).reshape(3, 4)))
print(grad(fn(x) = sum((x with [x > 2] *= 3) ** 2))(arange(4.0)))
# expect: 168
# expect: (4, 9) (4, 1) (0, -1) (5, -8) (0, -1) (3, 6)
# expect: ([4, 4, 0, 5, 0], [9, 1, -1, -8, -1])
# expect: 45
# expect: [0, 1, 2, 0] [[0, 1, 2, 0], [0, 0, 0, 0], [0, 0, 0, 0]]
# expect: [[0, -1, 2, 3], [5, -7, 9, 11], [9, -11, 13, 15]]
# expect: [0, 2, 4, 54]
