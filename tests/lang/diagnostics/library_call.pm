# An error in a library function is reported at the user's call, with the signature of the function. The message does
# not name a line of the library.
fn layer(x) = nn.layer_norm(x, ones(2), zeros(2))
print(layer(ones(2)))
print(layer(ones(3)))

# expect: [0, 0]
# error: PM0204 "nn.layer_norm(x, ones(2), zeros(2))"
# message: `nn.layer_norm`: shapes (3,) and (2,) do not broadcast to one shape
# note: it is nn.layer_norm(x, scale, bias=none, epsilon=1e-5): x standardized along the last axis, times `scale` f[d] plus `bias` f[d] unless it is none
