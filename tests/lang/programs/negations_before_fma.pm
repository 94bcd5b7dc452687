# Sums of products of negated numbers; several lanes use the numbers. LLVM's x86 back end once confused two of them.
fn product(x, y) = (prod(-vmap(fn(_) = y)(zeros(3))), {a: x + sum(sin([[-0.45f64], [-0.14f64]]))})
let (value, slope) = jvp(product, ([-0.49f64, 0.11f64], 0.41f64), ([0.64f64, 0.77f64], 0.15f64))
print(abs(value.0 + 0.41f64 ** 3) < 1e-15, abs(slope.0 + 3 * 0.41f64 ** 2 * 0.15f64) < 1e-15)
# expect: true true
