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
# A layer, and its derivative: what follows a product of many steps is a kernel of its own.
let (a, b) = (factor(512, 1024, f32), factor(1024, 512, f32))
let layer = jit(fn(x, w) = maximum(matmul(x, w) + 1, 0))
let exact = maximum(matmul(a[:3], b, precision="highest") + 1, 0)
assert(max(abs(layer(a, b)[:3] - exact)) < 0.02 * max(exact), "a layer")
let gradient = grad(fn(w) = sum(layer(a, w)))(b)
near(gradient, a.T, (layer(a, b) > 0).astype(f32))
print("near")
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
print(jit(fn(a) = tanh(a @ a.T / 512))(a)[0, 0])      # what follows is in the kernel
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
expect 'one' 1 one.pm
PM_CUDA_LIBRARIES_FAIL=cublasLtCreate:1:1 expect 'a library that does not work' 0 one.pm
expect 'a fixed order' 0 one.pm --deterministic
expect 'the highest precision' 0 one.pm --precision=highest
expect 'others' 0 others.pm
exit $failed
