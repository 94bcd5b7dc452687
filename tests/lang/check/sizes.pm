# Annotated functions are checked for all sizes; sizes with different names may differ.
# command: check
# configs: compiled
fn inner(x: f32[n, d], w: f32[k]) -> f32[n] = x @ w
fn rank(x: f32[n, d]) = sum(x, axis=2)
fn result(x: f32[n, d]) -> f32[d] = sum(x, axis=1)
fn grown(x: f32[..., d], w: f32[d, 2 * d + 1]) = (x @ w) @ w
fn tree({w, b}: {w: f32[n, m], b: f32[n]}, (x, y): (f32[m], f32[n])) = w @ x + b - w @ y
fn calls(x: f32[n, d]) = inner(x, ones(d + 1))
fn ranges(x: f32[n]) = concatenate((x[1:], x[:-1])) + x
fn more(x: f32[n, d]) = x.reshape(n, d + 1)
fn flat(x: f32[b, t, d]) = x.reshape(2 * b * t, d)
fn with_one(x: f32[n, d]) = concatenate((ravel(x), ones(1))).reshape(n, d)
# error: PM0278 "x @ w"
# message: `@` needs equal inner sizes, got d and k
# note: left is f32[n, d], its last axis has size d
# note: right is f32[k], its only axis has size k
# note: for any sizes: `d` is axis 1 of `x`, `k` is axis 0 of `w`, `n` is axis 0 of `x`
# error: PM0270 "2"
# message: axis 2 is out of range for f32[n, d] with 2 axes
# help: its axes are 0 to 1, or -2 to -1
# note: for any sizes: `d` is axis 1 of `x`, `n` is axis 0 of `x`
# error: PM0277 "sum(x, axis=1)"
# message: the size `d` is n here, but d elsewhere
# second: "d"
# note: the value is f32[n]
# note: for any sizes: `d` is axis 1 of `x`, `n` is axis 0 of `x`
# error: PM0278 "(x @ w) @ w"
# message: `@` needs equal inner sizes, got 2 * d + 1 and d
# note: left is f32[2, 2 * d + 1], its last axis has size 2 * d + 1
# note: right is f32[d, 2 * d + 1], its next to last axis has size d
# note: for any sizes: `d` is axis 1 of `x`
# help: `a @ b.T` would fit: f32[2, 2 * d + 1] @ f32[2 * d + 1, d]
# error: PM0278 "w @ y"
# message: `@` needs equal inner sizes, got m and n
# note: left is f32[n, m], its last axis has size m
# note: right is f32[n], its only axis has size n
# note: for any sizes: `m` is axis 1 of `w` of argument 1, `n` is axis 0 of `w` of argument 1
# help: `a.T @ b` would fit: f32[m, n] @ f32[n]
# error: PM0204 "concatenate((x[1:], x[:-1])) + x"
# message: shapes (2 * n - 2,) and (n,) do not broadcast to one shape
# note: axes are lined up from the last; sizes must be equal, or one of them 1
# note: for any sizes: `n` is axis 0 of `x`
# error: PM0235 "x.reshape(n, d + 1)"
# message: cannot reshape f32[n, d] to (n, d + 1): they hold d * n and d * n + n elements
# error: PM0235 "x.reshape(2 * b * t, d)"
# message: cannot reshape f32[b, t, d] to (2 * b * t, d): they hold b * d * t and 2 * b * d * t elements
# error: PM0235 "concatenate((ravel(x), ones(1))).reshape(n, d)"
# message: cannot reshape f32[d * n + 1] to (n, d): they hold d * n + 1 and d * n elements
