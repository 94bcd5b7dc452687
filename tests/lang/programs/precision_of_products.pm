# Products of lower precision are near the exact products: sizes near those of tiles, any strides, and any epilogue.
# slow: on processors

fn error(found, exact) {
    let scale = maximum(max(abs(exact.astype(f64))), 1e-3)
    max(abs(found.astype(f64) - exact.astype(f64))) / scale
}
## Upper bounds of the errors of products of TF32 factors, of sums of three TF32 products, and of products of halves.
fn near(found, exact, precision) {
    let bound = if found.dtype != f32 {
        1e-2
    } else if precision == "high" {
        2e-6
    } else {
        2e-3
    }
    assert(error(found, exact) < bound, "{found.dtype}{found.shape} {precision}")
}
fn exact(a, b) = matmul(a, b, precision="highest")
fn random_of(n, shape, dtype) = random.normal(random.key(n), shape).astype(dtype)

for dtype in (f32, bf16, f16) {
    for (m, k, n) in (
        (1, 40, 64),
        (17, 1, 17),
        (17, 15, 63),
        (64, 16, 16),
        (63, 17, 65),
        (65, 33, 128),
        (127, 31, 129),
        (128, 32, 64),
        (129, 64, 127),
        (200, 77, 33),
    ) {
        let a = random_of(m, (m, k), dtype)
        let b = random_of(n + 1, (k, n), dtype)
        let product = exact(a, b)
        near(matmul(a, b, precision="default"), product, "default")
        # both operands are transposed by their strides
        let turned = jit(fn(p, q) = matmul(p.T, q.T, precision="default"))(a.T + 0, b.T + 0)
        near(turned, product, "default")
    }
}
for (m, k, n) in ((17, 9, 30), (65, 40, 70), (130, 17, 129)) {
    let (a, b) = (random_of(1, (m, k), f32), random_of(2, (k, n), f32))
    near(matmul(a, b, precision="high"), matmul(a, b, precision="highest"), "high")
    near(matmul((a.T + 0).T, (b.T + 0).T, precision="high"), exact(a, b), "high")
}
# A batch of many products has larger tiles, of up to 128 x 128.
for (m, k, n, dtype) in (
    (65, 20, 70, f32),
    (70, 40, 66, bf16),
    (66, 18, 20, f32),
    (30, 33, 65, f16),
) {
    let (a, b) = (random_of(1, (128, m, k), dtype), random_of(2, (128, k, n), dtype))
    near(matmul(a, b, precision="default"), exact(a, b), "default")
    near(matmul((a.mT + 0).mT, (b.mT + 0).mT, precision="default"), exact(a, b), "default")
}
near(
    matmul(ones((128, 65, 9)), ones((128, 9, 66)) / 3, precision="high"),
    ones((128, 65, 66)) * 3,
    "high",
)
print("shapes")

# Slices of an operand that do not begin at a word boundary.
let wide = random_of(5, (70, 91), bf16)
let cut = jit(
    fn(w) = (
        matmul(w[1:, 1:40], w[1:40, 3:80], precision="default"),
        matmul(w[1:, 1:40], w[1:40, 3:80], precision="highest"),
    ),
)(wide)
near(cut[0], cut[1], "default")
let strided = jit(fn(w, p) = matmul(w[::2, ::3], w[::2, ::3].T, precision=p))
near(strided(wide, "default"), strided(wide, "highest"), "default")

# Batches of both operands, of one operand, and by vmap.
let x = random_of(6, (3, 40, 36), f32)
let y = random_of(7, (3, 36, 50), f32)
near(matmul(x, y, precision="default"), exact(x, y), "default")
near(matmul(x, y[0], precision="default"), exact(x, y[0]), "default")
let product = fn(p, q) = matmul(p, q, precision="default")
near(vmap(product)(x, y), exact(x, y), "default")
near(vmap(product, in_axes=(2, none))(x.transpose((1, 2, 0)), y[1]), exact(x, y[1]), "default")
near(
    einsum("bij,bjk->kbi", x, y, precision="default"),
    einsum("bij,bjk->kbi", x, y, precision="highest"),
    "default",
)
near(
    tensordot(x, y, axes=((0, 2), (0, 1)), precision="default"),
    tensordot(x, y, axes=((0, 2), (0, 1)), precision="highest"),
    "default",
)
print("batches")

# The kernel of a product also computes the epilogue.
fn layer(p, x, w, b) = nn.relu(matmul(x, w, precision=p) + b) * 2
let bias = random_of(8, (50,), f32)
near(
    jit(fn(x, w, b) = layer("default", x, w, b))(x[0], y[0], bias),
    layer("highest", x[0], y[0], bias),
    "default",
)
near(
    jit(fn(a, b) = matmul(a, b, precision="default").astype(f32) + 1)(
        wide[:, :32].astype(f16),
        wide[:32].astype(f16),
    ),
    matmul(wide[:, :32].astype(f16), wide[:32].astype(f16), precision="highest").astype(f32) + 1,
    "default",
)

# Derivatives have the precision of the product.
fn loss(p, w) = sum(tanh(matmul(matmul(x[0], w, precision=p) / 60, w.T, precision=p)))
near(grad(fn(w) = loss("default", w))(y[0]), grad(fn(w) = loss("highest", w))(y[0]), "default")
near(grad(fn(w) = loss("high", w))(y[0]), grad(fn(w) = loss("highest", w))(y[0]), "default")
let change = random_of(9, (36, 50), f32)
near(
    jvp(fn(w) = matmul(x[0], w, precision="default"), (y[0],), (change,))[1],
    exact(x[0], change),
    "default",
)

# Products in loops that run on the device.
let step = random_of(10, (48, 48), f32) / 10
fn turns(p) = scan(fn(c, _) = (tanh(matmul(c, step, precision=p)), none), step, none, length=4)[0]
near(turns("default"), turns("highest"), "default")
print("programs")

# Sums over windows as products.
let image = random_of(11, (2, 12, 12, 20), f32)
let kernel = random_of(12, (3, 3, 20, 24), f32)
near(
    nn.conv(image, kernel, precision="default"),
    nn.conv(image, kernel, precision="highest"),
    "default",
)
near(
    conv_general_dilated(
        image,
        kernel,
        (1, 1),
        "SAME",
        dimension_numbers=("NHWC", "HWIO", "NHWC"),
        precision="high",
    ),
    nn.conv(image, kernel, precision="highest"),
    "high",
)
# Infinities and NaNs in an operand are in the product.
let odd = x[0] with [3, 4] = inf
for p in ("default", "high") {
    let found = matmul(odd, y[0], precision=p)
    print(sum(isinf(found)), sum(isnan(found)))
}
# expect: shapes
# expect: batches
# expect: programs
# expect: 50 0
# expect: 50 0
