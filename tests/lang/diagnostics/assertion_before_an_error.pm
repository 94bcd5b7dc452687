# session: yes
fn split(x, heads) {
    assert(x.shape[1] % heads == 0, "{heads} heads do not divide {x.shape[1]}")
    x.reshape(x.shape[0], heads, x.shape[1] // heads)
}
print(split(ones((2, 6)), 4))
print(split(ones((2, 6)), 3).shape)
fn checked(x) { if len(x) == 0 { fail("no elements") } }
fn first(x) {
    checked(x)
    x[0]
}
print(first([3.0]), vmap(first)([[4.0]]))
print(first(zeros((0,))))
print(grad(first)(zeros((0,))))
fn guarded(x, c) {
    if c > 0 {
        assert(x.ndim == 1, "a vector")
        x[0] + x.shape[0]
    } else {
        x[0, 0]
    }
}
print(guarded(ones((2, 2)), [1.0][0]))
print(attempt(split, ones((2, 6)), 5).error.message)

# expect: (2, 3, 2)
# expect: 3.0 [4]
# expect: 5 heads do not divide 6 (1 == 0)
# error: PM0503 "assert(x.shape[1] % heads == 0, "{heads} heads do not divide {x.shape[1]}")"
# message: 4 heads do not divide 6 (2 == 0)
# error: PM0504 "fail("no elements")"
# message: no elements
# error: PM0504 "fail("no elements")"
# message: no elements
# error: PM0503 "assert(x.ndim == 1, "a vector")"
# message: a vector (2 == 1)
