# library: cuBLASLt
# Every 37th row of a product is compared with a product of the highest precision. TF32 keeps 10 mantissa bits of an f32
# factor: the error of a product of two numbers is at most 2^-9 of the product, even if the bits are truncated. The k products
# are added in f32, where a tensor core may truncate too: k * 2^-22 of the sum of their magnitudes. Products of halves are
# exact; their sum is rounded to the result. In random numbers most errors cancel: their root mean square may be at most half
# of the bound times the root of the sum of squares. The test would detect factors with three bits less, as bf16 has.
import "_check_error.pm" as h

## The allowed error of a product, relative to the sum of the magnitudes, and relative to the result.
fn error_of_sum(dtype, k) = (if dtype == f32 { 2.0 ** -9 } else { 0.0 }) + k * 2.0 ** -22
fn error_of_result(dtype) =
    if dtype == bf16 { 2.0 ** -8 } else if dtype == f16 { 2.0 ** -11 } else { 2.0 ** -23 }
let step = 37

fn wide(x) = x.astype(f32)
fn exactly(a, b) = matmul(wide(a), wide(b), precision="highest")
## `found` is `after` of a product a @ b. If x changes by d, after(x, rows) changes by at most slope * d. `more` is added to the bound.
fn check(name, found, a, b, after=fn(x) = x, slope=1.0, more=zeros(())) {
    let some = wide(a[..., ::step, :])
    let size = matmul(abs(some), abs(wide(b)), precision="highest")
    let exact = after(exactly(some, b))
    let most =
        slope * error_of_sum(a.dtype, a.shape[-1]) * size +
        error_of_result(found.dtype) * abs(exact) +
        1e-6 +
        more
    let squares = matmul(some ** 2, wide(b) ** 2, precision="highest")
    let typical =
        slope * error_of_sum(a.dtype, a.shape[-1]) / 2 * sqrt(mean(squares)) +
        error_of_result(found.dtype) * h.rms(exact) +
        max(more) +
        1e-6
    h.check_error(name, wide(found[..., ::step, :]), exact, most, typical=typical)
    print(name, "all", h.bits(wide(found)))
}

for dtype in (f32, bf16, f16) {
    let (a, b) = (h.some(1, (520, 512), dtype), h.some(2, (512, 528), dtype))
    check("{dtype}", matmul(a, b), a, b)
    check("{dtype} turned", jit(fn(p, q) = matmul(p.T, q.T))(a.T + 0, b.T + 0), a, b)
    let both = stack((b, 2 * b))
    let found = vmap(fn(q) = matmul(a, q))(both)
    check("{dtype} batch", found[1], a, 2 * b)
}

# Epilogues: the library call of a product also computes the operations after the product.
let (x, w, r) = (h.some(3, (520, 512)), h.some(4, (512, 528)), h.some(5, (520, 528)))
let b = 3 * h.some(6, (528,))
check("bias", jit(fn(x, w, b) = nn.dense({w: w, b: b}, x))(x, w, b), x, w, fn(p) = p + b)
let scaled = jit(fn(x, w, b, r) = 0.5 * matmul(x, w) + b + r)(x, w, b, r)
check("scaled, bias and added", scaled, x, w, fn(p) = 0.5 * p + b + r[::step], slope=0.5)
let descent = jit(fn(x, w, r) = r - 0.125 * matmul(x, w))(x, w, r)
check("descent", descent, x, w, fn(p) = r[::step] - 0.125 * p, slope=0.125)
# The slope of gelu is at most 1.13. The library may compute a tanh of x / 2 with an error of 2^-10.
let curved = jit(fn(x, w, b) = nn.gelu(matmul(x, w) + b))(x, w, b)
let sizes = abs(exactly(x[::step], w) + b)
check("gelu", curved, x, w, fn(p) = nn.gelu(p + b), slope=1.13, more=2.0 ** -11 * sizes)

# The derivatives of a layer.
let (of_x, of_w) = grad(fn(x, w) = sum((matmul(x, w) + b) * r), argnums=(0, 1))(x, w)
check("slope of x", of_x, r, w.T)
check("slope of w", of_w, x.T, r)
