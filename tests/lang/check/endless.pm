# `pm check` of a program that does not terminate terminates.
# command: check
# configs: compiled
mut i = 0
while true { i += 1 }
fn never_called(x: f32[n]) = x @ ones(n + 1)
# error: PM0278 "x @ ones(n + 1)"
# message: `@` needs equal inner sizes, got n and n + 1
# note: left is f32[n], its last axis has size n
# note: right is f32[n + 1], its only axis has size n + 1
# note: for any sizes: `n` is axis 0 of `x`
