# library: cuBLASLt
# Products are held to those of the highest precision, in rows from everywhere. A factor of f32 keeps 10 bits behind the point as TF32, so
# that each product of two numbers is wrong by 2^-9 of itself at most, also where the bits are cut off; k of them are added up as f32, where
# a tensor core may cut off too: k * 2^-22 of the sum of their magnitudes. Halves have exact products, and their result is rounded. Of numbers
# without a pattern most errors go away against each other: by the root mean square, half as much of the root of the sum of squares. Factors
# that lost three bits more, as bf16, would be seen.
import "_held.pm" as h

## How wrong a product may be, in parts of the magnitudes that are added up, and of itself.
fn error_of_sum(dtype, k) = (if dtype == f32 { 2.0 ** -9 } else { 0.0 }) + k * 2.0 ** -22
fn error_of_result(dtype) =
    if dtype == bf16 { 2.0 ** -8 } else if dtype == f16 { 2.0 ** -11 } else { 2.0 ** -23 }
let step = 37

fn wide(x) = x.astype(f32)
fn exactly(a, b) = matmul(wide(a), wide(b), precision="highest")
## `found` is what `after` makes of a product a @ b. A change of x in after(x, rows) by d is one of its result by slope * d, and `more` at most.
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
    h.hold(name, wide(found[..., ::step, :]), exact, most, typical=typical)
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

# With what follows a product in the same call.
let (x, w, r) = (h.some(3, (520, 512)), h.some(4, (512, 528)), h.some(5, (520, 528)))
let b = 3 * h.some(6, (528,))
check("bias", jit(fn(x, w, b) = nn.dense({w: w, b: b}, x))(x, w, b), x, w, fn(p) = p + b)
let scaled = jit(fn(x, w, b, r) = 0.5 * matmul(x, w) + b + r)(x, w, b, r)
check("scaled, bias and added", scaled, x, w, fn(p) = 0.5 * p + b + r[::step], slope=0.5)
let descent = jit(fn(x, w, r) = r - 0.125 * matmul(x, w))(x, w, r)
check("descent", descent, x, w, fn(p) = r[::step] - 0.125 * p, slope=0.125)
# The slope of gelu is 1.13 at most; the library may take a hyperbolic tangent that is good to 2^-10, of x / 2.
let curved = jit(fn(x, w, b) = nn.gelu(matmul(x, w) + b))(x, w, b)
let sizes = abs(exactly(x[::step], w) + b)
check("gelu", curved, x, w, fn(p) = nn.gelu(p + b), slope=1.13, more=2.0 ** -11 * sizes)

# A layer's derivatives.
let (of_x, of_w) = grad(fn(x, w) = sum((matmul(x, w) + b) * r), argnums=(0, 1))(x, w)
check("slope of x", of_x, r, w.T)
check("slope of w", of_w, x.T, r)
