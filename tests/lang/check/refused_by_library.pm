# The check finds calls that the library refuses; it does not find failures that the program itself reports.
# command: check
# configs: compiled
let a = signal.welch(zeros(0))
let b = percentile([1.0, 2.0], 200)
let c = linalg.inv(zeros((2, 3)))
fn mine(x) = if x > 3 { fail("mine") } else { x }
mine(5)
assert(1 > 2, "own")
fn checked(x) {
    assert(x > 3, "own too")
    x
}
let d = checked(2.0)
fn rows(x: f32[n]) = linalg.inv(x)
fn half(x: f32[n]) = x[: n // 2]
fn joined(*parts) = linalg.block_diag(*parts)
test "one" { let e = bincount([1], length=-1) }
# error: PM0504 "signal.welch(zeros(0))"
# message: `signal.welch` needs one element at least, got f32[0]
# error: PM0503 "percentile([1.0, 2.0], 200)"
# message: the `q` of `percentile` must lie from 0 to 100, got 200
# error: PM0504 "linalg.inv(zeros((2, 3)))"
# message: `linalg.inv` needs a square matrix f[..., n, n], got f32[2, 3]
# error: PM0504 "linalg.inv(x)"
# message: `linalg.inv` needs a square matrix f[..., n, n], got f32[n]
# note: for any sizes: `n` is axis 0 of `x`
# error: PM0205 "bincount([1], length=-1)"
# message: a shape cannot hold the negative size -1
