# devices: 2
# The place is the user's line whatever was applied to the function.
fn loss(w, x) = sum((x @ w) ** 2)
print(pmap(fn(x) = vmap(grad(loss), in_axes=(none, 0))(zeros(4), x))(zeros((2, 5, 3))))
