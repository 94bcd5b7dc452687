# configs: gpu gpu-emulated
# What products of each precision make of numbers with more digits than TF32 has.
let a = full((20, 24), 1 + 2.0 ** -12)
let b = full((24, 18), 1.0)
fn product(p) = matmul(a, b, precision=p)[3, 5] - 24
print(product("default"), product("high"), product("highest"))
# one on the way between two is rounded away from zero, and 2^-11 is half of the last digit
print(matmul(-a - 2.0 ** -12, b, precision="default")[0, 0] + 24)
# of halves products are exact and sums are f32
let half = full((20, 1024), bf16(1.0078125))
print(matmul(half, half.T, precision="default", preferred_element_type=bf16)[0, 0])
# without a word it is what `pm run` says, here highest
print((a @ b)[0, 0] - 24)
# derivatives and batches keep it
print(grad(fn(x) = sum(matmul(x, b * (1 + 2.0 ** -12), precision="default")))(a)[0, 0] - 18)
print(vmap(fn(x) = matmul(x, b, precision="default"))(a[none])[0, 0, 0] - 24)
# few rows are multiplied exactly
print(matmul(a[:4], b, precision="default")[0, 0] - 24)
# the library's own sums are exact
print(linalg.multi_dot((a, b))[0, 0] - 24)
# expect: 0.0 0.005859375 0.005859375
# expect: -0.0234375
# expect: 1040.0
# expect: 0.005859375
# expect: 0.0
# expect: 0.0
# expect: 0.005859375
# expect: 0.005859375
