# The message has the sizes that do not match, and sizes that would fit.
fn predict(x, w) = x @ w
print(predict(zeros((2, 3)), zeros((4, 3))))

# error: PM0278 "x @ w"
# message: `@` needs equal inner sizes, got 3 and 4
# note: left is f32[2, 3], its last axis has size 3
# note: right is f32[4, 3], its next to last axis has size 4
# help: `a @ b.T` would fit: f32[2, 3] @ f32[3, 4]
