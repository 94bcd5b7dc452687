#!/bin/bash
# library_products.sh PM FOLDER: which products of a program the library of a GPU computes. FOLDER has the driver that interprets PTX and
# the stand-in of cuBLASLt, which says what it is asked for.
set -uo pipefail
pm=$1
export LD_LIBRARY_PATH=$2 PM_INTERPRETER_VERBOSE=1
failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/products.pm" <<'TEXT'
fn factors(m, k, n, dtype) = (random.normal(random.key(1), (m, k)).astype(dtype), random.normal(random.key(2), (k, n)).astype(dtype))
fn near(found, a, b) {
    let exact = matmul(a.astype(f32), b.astype(f32), precision="highest")
    assert(max(abs(found.astype(f32) - exact)) < 0.02 * max(abs(exact)), "{found.dtype}{found.shape}")
}
for dtype in (f32, bf16, f16) {
    let (a, b) = factors(520, 512, 528, dtype)
    near(matmul(a, b), a, b)
    near(jit(fn(p, q) = matmul(p.T, q.T))(a.T + 0, b.T + 0), a, b)
    near(vmap(fn(q) = matmul(a, q))(stack((b, b)))[1], a, b)
}
let (a, b) = factors(512, 1024, 512, f32)
let bias = ones(512)
fn layer(x, w) = maximum(matmul(x, w) + bias, 0)
assert(max(abs(layer(a, b) - maximum(matmul(a, b, precision="highest") + bias, 0))) < 1, "a layer")
let (turned, gradient) = (b.T + 0, grad(fn(w) = sum(layer(a, w) ** 2))(b))
assert(max(abs(gradient - grad(fn(w) = sum(maximum(matmul(a, w, precision="highest") + bias, 0) ** 2))(b))) < 0.02 * max(abs(gradient)), "a gradient")
print("near")
TEXT
cat >"$work/others.pm" <<'TEXT'
let a = ones((520, 512))
print((a[:64] @ a.T)[0, 0])                           # few
print(matmul(a, a.T, precision="highest")[0, 0])      # exactly
print(matmul(a, a.T, precision="high")[0, 0])
print((a.astype(f64) @ a.T.astype(f64))[0, 0])
print(sum(tanh(a @ a.T / 512)) / 520 ** 2)            # what follows is in the kernel
TEXT

# expect NAME PRODUCTS FILE OPTIONS...: runs the program, in which the library is asked for so many products.
expect() {
    local name=$1 products=$2 file=$3 found
    shift 3
    timeout 300 "$pm" run --devices=gpu "$@" "$work/$file" >"$work/out" 2>"$work/err" || {
        echo "FAIL $name:"
        cat "$work/out" "$work/err"
        failed=1
    }
    found=$(grep -c '^cublasLtMatmul:' "$work/err")
    if [ "$found" != "$products" ]; then
        echo "FAIL $name: $found products by the library, expected $products"
        cat "$work/out" "$work/err"
        failed=1
    fi
}

expect 'large products' 13 products.pm
PM_CUDA_LIBRARIES_FAIL=cublasLtCreate:1:1 expect 'a library that does not work' 0 products.pm
expect 'a fixed order' 0 products.pm --deterministic
expect 'the highest precision' 0 products.pm --precision=highest
expect 'others' 0 others.pm
exit $failed
