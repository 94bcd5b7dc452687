# A number that a function computes has no value in a check. The statements that use it are checked all the same.
# command: check
# configs: compiled
fn same(b) = b
fn scaled(b) {
    let c = same(b)
    {by: fn(p) = p * c}
}
let a = scaled(0.1)
print(a.by(ones(3)) + ones(4))
let adam = optim.adam(0.01)
fn loss(p, x) = sum((x @ p) ** 2)
fn step(p, state, x) = adam.update(p, state, grad(loss)(p, x))
mut p = ones(3)
mut state = adam.init(p)
for i in 0..3 { (p, state) = step(p, state, ones((5, 4))) }
let n = same(3)
print(zeros(n) + zeros(4), ones(n).shape[0])
for i in 0..n { print(i) }
print(kind(n), n + 1, if n > 2 { 1 } else { 2 })
let (y, pull) = vjp(fn(x) = x * x, [2.0])
print(pull([1.0])[0] + ones(2), y + ones((2, 2)))

# error: PM0204 "a.by(ones(3)) + ones(4)"
# message: shapes (3,) and (4,) do not broadcast to one shape
# second: "a.by(ones(3))" f32[3]
# second: "ones(4)" f32[4]
# note: axes are lined up from the last; sizes must be equal, or one of them 1
# help: for all pairs of elements, add an axis: `x[:, none]` of the one of shape (3,) has shape (3, 1)
# error: PM0278 "(x @ p)"
# message: `@` needs equal inner sizes, got 4 and 3
# calls: 13:46 16:30
# note: left is f32[5, 4], its last axis has size 4
# note: right is f32[3], its only axis has size 3
# note: through `grad(loss)`
# note: in the iteration with i = 0
