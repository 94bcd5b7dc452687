#!/bin/bash
# library_products.sh PM FOLDER: tests which products of a program the library of a GPU computes. FOLDER has the driver that interprets PTX
# and the stand-in of cuBLASLt, which prints its calls.
source "$(dirname "$0")/library_calls.sh"
cat >"$work/products.pm" <<'TEXT'
fn factor(n, m, dtype) = sin(arange(f32(n * m)).reshape(n, m) * 0.7).astype(dtype)
## A few rows of the product are compared with exact ones.
fn near(found, a, b) {
    let exact = matmul(a[:3].astype(f32), b.astype(f32), precision="highest")
    assert(max(abs(found[:3].astype(f32) - exact)) < 0.02 * max(abs(exact)), "{found.dtype}{found.shape}")
}
for dtype in (f32, bf16, f16) {
    let (a, b) = (factor(520, 512, dtype), factor(512, 528, dtype))
    near(matmul(a, b), a, b)
    near(jit(fn(p, q) = matmul(p.T, q.T))(a.T + 0, b.T + 0), a, b)
    near(vmap(fn(q) = matmul(a, q))(stack((b, b)))[1], a, b)
}
# A layer and its derivative. The epilogue of a product of many terms is a separate kernel.
let (a, b) = (factor(512, 1024, f32), factor(1024, 512, f32))
let layer = jit(fn(x, w) = maximum(matmul(x, w) + 1, 0))
let exact = maximum(matmul(a[:3], b, precision="highest") + 1, 0)
assert(max(abs(layer(a, b)[:3] - exact)) < 0.02 * max(exact), "a layer")
let gradient = grad(fn(w) = sum(layer(a, w)))(b)
near(gradient, a.T, (layer(a, b) > 0).astype(f32))
print("near")
TEXT
cat >"$work/layers.pm" <<'TEXT'
fn factor(n, m, dtype) = sin(arange(f32(n * m)).reshape(n, m) * 0.7).astype(dtype)
## Compares a few rows of a layer of x, w, b and r with the layer of these rows alone, whose small product is exact.
fn check(layer, found, x, w, b, r) {
    let exact = layer(x[:3].astype(f32), w.astype(f32), b.astype(f32), r[:3].astype(f32))
    assert(found.dtype == x.dtype and max(abs(found[:3].astype(f32) - exact)) < 0.02 * max(abs(exact)), "{x.dtype}")
}
let dense = fn(x, w, b, r) = nn.dense({w: w, b: b}, x)
let scaled = fn(x, w, b, r) = 0.5 * matmul(x, w) + b + r
let curved = fn(x, w, b, r) = nn.gelu(matmul(x, w) + b)
let descent = fn(x, w, b, r) = r - 0.125 * matmul(x, w)
let divided = fn(x, w, b, r) = matmul(x, w) / sqrt(512.0)
let residual = fn(x, w, b, r) = nn.gelu(r + matmul(x, w))
for (dtype, layers) in (
        (f32, (dense, scaled, curved, descent, divided, residual)),
        (bf16, (dense, scaled, curved)),
        (f16, (dense, scaled, curved)),
    ) {
    let (x, w, r) = (factor(520, 512, dtype), factor(512, 528, dtype), factor(520, 528, dtype))
    let b = 3 * cos(arange(528.0)).astype(dtype)
    for layer in layers {
        let found = jit(layer)(x, w, b, r)
        check(layer, found, x, w, b, r)
    }
}
# One bias for a batch, one bias for each; and transposed operands.
let (x, w, r, b) = (factor(520, 512, f32), factor(512, 528, f32), factor(520, 528, f32), cos(arange(528.0)))
let all = vmap(fn(x) = matmul(x, w) + b)(stack((x, -x)))
check(dense, all[0], x, w, b, r)
check(dense, all[1], -x, w, b, r)
let each = vmap(fn(x, w, b) = matmul(x, w) + b)(stack((x, -x)), stack((w, w)), stack((b, 2 * b)))
check(dense, each[0], x, w, b, r)
check(dense, each[1], -x, w, 2 * b, r)
let transposed = jit(fn(x, w, b) = matmul(w.T, x.T).T + b)(x, w, b)
check(dense, transposed, x, w, b, r)
# Rows on two axes: a layer, and a step of descent, whose product sums over two axes.
let (x2, r2) = (x.reshape(2, 260, 512), r.reshape(2, 260, 528))
for layer in (curved, residual) {
    let found = jit(layer)(x2, w, b, r2)
    check(layer, found.reshape(520, 528), x, w, b, r)
}
let step = jit(fn(x, w, r) = w - 0.125 * grad(fn(w) = sum(matmul(x, w) * r))(w))(x2, w, r2)
check(fn(x, w, b, r) = r - 0.125 * matmul(x, w), step, x.T, r, b, w)
# A product for each derivative; the product of the layer is not computed.
let slopes = grad(fn(x, w) = sum((matmul(x, w) + b) * r), argnums=(0, 1))(x, w)
check(fn(x, w, b, r) = matmul(r, w.T), slopes[0], x, w, b, r)
print("near")
TEXT
cat >"$work/own.pm" <<'TEXT'
# The library has no such epilogue: the compiler's kernel computes product and epilogue.
let (x, w) = (ones((520, 512)), ones((512, 528)) / 512)
let (b, c) = (arange(528.0), arange(520.0))
print(jit(fn(x, w, b) = nn.relu(x @ w - b))(x, w, b)[3, :3])
print(jit(fn(x, w, b) = maximum(x @ w - b, 0))(x, w, b)[3, :3])
print(jit(fn(x, w) = x @ w + 1)(x, w)[3, :3])
print(jit(fn(x, w, c) = x @ w + c[:, none])(x, w, c)[3, :3])
print(jit(fn(x, w, b) = (x @ w + b, x @ w + 2 * b))(x, w, b)[1][3, :3])
print(jit(fn(x, w, b) = nn.gelu(x @ w + b, approximate=false))(x, w, b)[3, :3])
TEXT
cat >"$work/layer.pm" <<'TEXT'
let (x, w) = (ones((520, 512)), ones((512, 528)) / 512)
print(jit(fn(x, w, b) = nn.gelu(x @ w + b))(x, w, arange(528.0))[3, :3])
TEXT
cat >"$work/long_layer.pm" <<'TEXT'
let (x, w) = (ones((2, 260, 1024)), ones((1024, 528)) / 1024)
print(jit(fn(x, w, b) = nn.gelu(x @ w + b))(x, w, arange(528.0))[1, 3, :3])
TEXT
cat >"$work/one.pm" <<'TEXT'
let a = ones((520, 512))
print((a @ a.T)[0, 0])
TEXT
cat >"$work/others.pm" <<'TEXT'
let a = ones((520, 512))
print((a[:64] @ a.T)[0, 0])                           # few
print(matmul(a, a.T, precision="high")[0, 0])
print((a.astype(i32) @ a.T.astype(i32))[0, 0])
print(jit(fn(a) = tanh(a @ a.T / 512))(a)[0, 0])      # the kernel computes the epilogue
TEXT

# expect NAME PRODUCTS FILE OPTIONS...: runs the program and checks the number of products by the library.
expect() {
    local name=$1 products=$2 file=$3
    shift 3
    run "$name" --devices=gpu "$@" "$work/$file"
    counted "$name" "$products" '^cublasLtMatmul:'
}
# expect_product PRODUCT: the library computed this product in the last program.
expect_product() {
    grep -qxF "cublasLtMatmul: $1" "$work/err" || fail "$1" 'the library did not compute it'
}

expect 'large products' 13 products.pm
expect 'one' 1 one.pm
PM_CUDA_LIBRARIES_FAIL=cublasLtCreate:1:1 expect 'a library that does not work' 0 one.pm
expect 'a fixed order' 0 one.pm --deterministic
expect 'the highest precision' 0 one.pm --precision=highest
expect 'others' 0 others.pm

# The library computes a layer as one product with an epilogue.
expect 'layers' 20 layers.pm
sed -n 's/^cublasLtMatmul: //p' "$work/err" >"$work/found"
cat >"$work/expected" <<'TEXT'
1 x (528 x 520 x 512) bias
1 x (528 x 520 x 512) scaled added bias
1 x (528 x 520 x 512) bias gelu
1 x (528 x 520 x 512) scaled added
1 x (528 x 520 x 512) scaled
1 x (528 x 520 x 512) added gelu
1 x (528 x 520 x 512) bias
1 x (528 x 520 x 512) scaled added bias
1 x (528 x 520 x 512) bias gelu
1 x (528 x 520 x 512) bias
1 x (528 x 520 x 512) scaled added bias
1 x (528 x 520 x 512) bias gelu
1 x (528 x 1040 x 512) bias
2 x (528 x 520 x 512) bias
1 x (520 x 528 x 512)
1 x (528 x 520 x 512) bias gelu
1 x (528 x 520 x 512) added gelu
1 x (528 x 512 x 520) scaled added
1 x (528 x 512 x 520)
1 x (512 x 520 x 528)
TEXT
same 'what follows in layers' "$work/expected" "$work/found"
expect 'what the library has not' 0 own.pm
expect 'a layer' 1 layer.pm
cp "$work/out" "$work/layer"
PM_CUDA_LIBRARIES_FAIL=cublasLtMatmulAlgoGetHeuristic:1:15 expect 'no way for a layer' 0 layer.pm
same 'a layer by its kernel' "$work/layer" "$work/out"
# The library also computes a product of many terms, without an epilogue if it has no algorithm for both. Without any algorithm a kernel
# does.
expect 'a layer of many terms' 1 long_layer.pm
cp "$work/out" "$work/long_layer"
expect_product '1 x (528 x 520 x 1024) bias gelu'
no_algorithm=cublasLtMatmulAlgoGetHeuristic
PM_CUDA_LIBRARIES_FAIL=$no_algorithm:1:15 expect 'no way for a layer of many terms' 1 long_layer.pm
expect_product '1 x (528 x 520 x 1024)'
same 'a layer of many terms in two' "$work/long_layer" "$work/out"
PM_CUDA_LIBRARIES_FAIL=$no_algorithm:1:15,$no_algorithm:2:15 expect 'no way for its product' 0 long_layer.pm
same 'a layer of many terms by its kernel' "$work/long_layer" "$work/out"
expect 'NaNs are looked for' 1 layer.pm --check-nans
expect_product '1 x (528 x 520 x 512)'
same 'a layer with checks' "$work/layer" "$work/out"
exit $failed
