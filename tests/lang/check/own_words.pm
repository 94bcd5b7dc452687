# A failure that the program itself reports is not found by the check, even if `fail` or `assert` has another name. A
# failure that the library reports is found, even if the function has a name like `assert_`.
# command: check
# configs: compiled
let stop = fail
let sure = assert
fn mine(x) = if x > 3 { stop("mine") } else { x }
mine(5)
sure(1 > 2, "own")
(fn() = fail("at once"))()
fn checked(x: f32[n]) {
    sure(n > 10 ** 6, "own too")
    x
}
let assert_ = linalg.inv
fn f(x) {
    let fail = linalg.inv
    fail(x)
}
let a = f(zeros((2, 3)))
let b = assert_(zeros((2, 3)))
# error: PM0504 "fail(x)"
# message: `linalg.inv` needs a square matrix f[..., n, n], got f32[2, 3]
# error: PM0504 "assert_(zeros((2, 3)))"
# message: `linalg.inv` needs a square matrix f[..., n, n], got f32[2, 3]
