# The check runs statements with arrays without elements, and reports each error of shapes and names separately. It
# prints, reads and writes nothing. It skips code that depends on elements, files or arguments.
# command: check
# configs: compiled
print("not printed")
let data = read_csv("there is no such file.csv")
let (x, y) = (data[:, 0], data[:, 1])
print(x + zeros((2, 3)) + ones(7))
let z = zeros(3) + ones(4)
print(z + ones(2))
mut w = zeros((2, 3))
for i in range(1000000) {
    print(w @ ones(4))
    if sum(w) > 1.0 { w = ones(5) }
}
print(w + ones(9))
mut turns = 0
mut total = zeros(4)
for i in range(1000000) {
    turns += 1
    total = total + 1.0
}
print(zeros(turns) + zeros(7))
print(total + zeros(5))
mut v = zeros(3)
v[0] = 1.0
if v[0] > 0.0 { v = concatenate((v, v)) }
print(v + ones(4))
if len(args) < 2 { fail("usage: two files") }
let n = len(zeros((5, 2)))
print(zeros(n) + zeros(6))
let f = if sum(zeros(2)) > 0.0 { fn(a) = a } else { fn(a) = a + 1 }
print(f(zeros(2) + zeros(3)))
fn told(a) {
    save_npy("there is no such folder/x.npy", a)
    ones(2) + ones(3)
}
told(zeros(2))
let some = zeros((9, 2))[2:5]
print(some + ones(7))
assert(1 == 2, "an affair of running")
save_npz("statements.npz", {a: zeros((2, 2))})
test "blocks too" {
    let kept = zeros(3)
    assert(kept.shape == (3,))
    let product = kept @ ones(2)
}
# error: PM0204 "zeros(3) + ones(4)"
# message: shapes (3,) and (4,) do not broadcast to one shape
# note: axes are lined up from the last; sizes must be equal, or one of them 1
# error: PM0278 "w @ ones(4)"
# message: `@` needs equal inner sizes, got 3 and 4
# note: left is f32[2, 3], its last axis has size 3
# note: right is f32[4], its only axis has size 4
# error: PM0204 "total + zeros(5)"
# message: shapes (4,) and (5,) do not broadcast to one shape
# note: axes are lined up from the last; sizes must be equal, or one of them 1
# error: PM0204 "zeros(n) + zeros(6)"
# message: shapes (5,) and (6,) do not broadcast to one shape
# note: axes are lined up from the last; sizes must be equal, or one of them 1
# error: PM0204 "ones(2) + ones(3)"
# message: shapes (2,) and (3,) do not broadcast to one shape
# note: axes are lined up from the last; sizes must be equal, or one of them 1
# error: PM0204 "some + ones(7)"
# message: shapes (3, 2) and (7,) do not broadcast to one shape
# note: axes are lined up from the last; sizes must be equal, or one of them 1
# error: PM0278 "kept @ ones(2)"
# message: `@` needs equal inner sizes, got 3 and 2
# note: left is f32[3], its last axis has size 3
# note: right is f32[2], its only axis has size 2
