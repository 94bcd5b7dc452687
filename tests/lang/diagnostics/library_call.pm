# An error inside of a library function stands at the user's call, and says what the function is: not which line of the
# library met it.
fn layer(x) = nn.layer_norm(x, ones(2), zeros(2))
print(layer(ones(2)))
print(layer(ones(3)))

# expect: [0, 0]
# error: PM0204 "nn.layer_norm(x, ones(2), zeros(2))"
# message: `nn.layer_norm`: shapes (3,) and (2,) do not broadcast to one shape
# note: it is nn.layer_norm(x, scale, bias, epsilon=1e-5): x standardized along the last axis, times `scale` f[d] plus `bias` f[d]
