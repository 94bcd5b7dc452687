# Products with more terms than a warp's matrix instructions add in one accumulator are near the exact products.
# configs: compiled gpu-emulated gpu
fn error(found, exact) = max(abs(f64(found) - f64(exact))) / max(abs(f64(exact)))
for (dtype, precision, bound) in (
    (f32, "default", 1e-3),
    (f32, "high", 1e-5),
    (bf16, "default", 2e-6),
) {
    let a = random.normal(random.key(1), (17, 4100)).astype(dtype)
    let b = random.normal(random.key(2), (4100, 20)).astype(dtype)
    let found = matmul(a, b, precision=precision, preferred_element_type=f32)
    let exact = matmul(f32(a), f32(b), precision="highest")
    assert(error(found, exact) < bound, "{dtype} {precision}: {error(found, exact)}")
}
print("near")

# expect: near
