# configs: gpu gpu-emulated
# devices: 2
# The results of products of each precision, for numbers that have more digits than TF32.
let a = full((20, 24), 1 + 2.0 ** -12)
let b = full((24, 18), 1.0)
fn product(p) = matmul(a, b, precision=p)[3, 5] - 24
print(product("default"), product("high"), product("highest"))
# ties are rounded away from zero: 2^-11 is half of the last digit
print(matmul(-a - 2.0 ** -12, b, precision="default")[0, 0] + 24)
# products of halves are exact, and their sums are f32
let half = full((20, 1024), bf16(1.0078125))
print(matmul(half, half.T, precision="default", preferred_element_type=bf16)[0, 0])
# the default precision is the option of `pm run`, here highest
print((a @ b)[0, 0] - 24)
# derivatives and batches have the precision of the product
print(grad(fn(x) = sum(matmul(x, b * (1 + 2.0 ** -12), precision="default")))(a)[0, 0] - 18)
print(vmap(fn(x) = matmul(x, b, precision="default"))(a[none])[0, 0, 0] - 24)
# products with few rows are exact
print(matmul(a[:4], b, precision="default")[0, 0] - 24)
# products that functions of the library compute internally are exact
print(linalg.matrix_power(full((18, 18), 1 + 2.0 ** -12), 2)[0, 0] - 18)
# library functions that are products have the precision that the program requests
print(linalg.multi_dot((a, b), precision="default")[0, 0] - 24)
let vectors = (
    vmap(fn(x) = matvec(a, x, precision="default")),
    vmap(fn(x) = vecmat(x, a.T, precision="default")),
)
print(vectors[0](b.T)[0, 0] - 24, vectors[1](b.T)[0, 0] - 24)
print(signal.convolve2d(full((9, 9), 1 + 2.0 ** -12), ones((1, 4)), precision="highest")[4, 4] - 4)
# products on each device of a pmap
print(pmap(fn(x) = matmul(x, b, precision="default"))(stack((a, a)))[1, 0, 0] - 24)
print(pmap(fn(x) = psum(matmul(x, b), "i"), axis_name="i")(stack((a, a)))[1, 0, 0] - 48)
# expect: 0.0 0.005859375 0.005859375
# expect: -0.0234375
# expect: 1040.0
# expect: 0.005859375
# expect: 0.0
# expect: 0.0
# expect: 0.005859375
# expect: 0.0087890625
# expect: 0.0
# expect: 0.0 0.0
# expect: 0.0009765625
# expect: 0.0
# expect: 0.01171875
