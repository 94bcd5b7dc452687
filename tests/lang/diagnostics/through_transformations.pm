# devices: 2
# The error is at the user's line, under any transformations of the function.
fn loss(w, x) = sum((x @ w) ** 2)
print(pmap(fn(x) = vmap(grad(loss), in_axes=(none, 0))(zeros(4), x))(zeros((2, 5, 3))))

# error: PM0278 "(x @ w)"
# message: `@` needs equal inner sizes, got 3 and 4
# note: left is f32[3], its last axis has size 3
# note: right is f32[4], its only axis has size 4
# note: through `vmap(grad(loss))`
# note: through `pmap(fn)`
