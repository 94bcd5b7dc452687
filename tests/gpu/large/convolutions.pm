# library: cuDNN
# Convolutions and their derivatives are compared, in every 16th feature, with sums of products of the highest
# precision. TF32 keeps 10 mantissa bits of each f32 factor, as in products.pm: an error of 2^-9 of the sum of
# magnitudes. The Winograd algorithm adds numbers before and after it multiplies, so its error is larger: 2^-7 is
# allowed for f32 and f16, and 2^-5 for bf16, which has 8 bits. In random numbers most errors cancel: their root mean
# square may be at most half of the bound times the root of the sum of squares.
import "_check_error.pm" as h

fn error_of(dtype) = if dtype == bf16 { 2.0 ** -5 } else { 2.0 ** -7 }
fn wide(x) = x.astype(f32)

## `f` is linear in each of two arrays, and has a `precision`. `cut` selects the parts of the arrays for every 16th result.
fn check(name, f, a, b, cut) {
    let found = jit(fn(a, b) = f(a, b, "default"))(a, b)
    let (some, of_these) = cut(wide(a), wide(b))
    let exact = jit(fn(a, b) = f(a, b, "highest"))
    let most = error_of(a.dtype) * exact(abs(some), abs(of_these)) + 1e-6
    let typical = error_of(a.dtype) / 2 * sqrt(mean(exact(some ** 2, of_these ** 2))) + 1e-6
    h.check_error(name, wide(found[..., ::16]), exact(some, of_these), most, typical=typical)
    print(name, "all", h.bits(wide(found)))
}

fn of_last(x, w) = (x, w[..., ::16])
fn of_given(y, w) = (y, w[..., ::16, :])
fn of_made(y, x) = (y[..., ::16], x)

let (x, w, y) =
    (h.some(1, (4, 16, 16, 64)), h.some(2, (3, 3, 64, 256)), h.some(3, (4, 16, 16, 256)))
fn conv(x, w, precision) = nn.conv(x, w, precision=precision)
fn strided(x, w, precision) = nn.conv(x, w, strides=2, precision=precision)
fn grouped(x, w, precision) = nn.conv(x, w, groups=2, precision=precision)
fn of_x(y, w, precision) {
    let x = zeros(y.shape[:-1] + (w.shape[-2],), dtype=y.dtype)
    vjp(fn(x) = conv(x, w, precision), x)[1](y)[0]
}
fn of_w(y, x, precision) {
    let w = zeros((3, 3, x.shape[-1], y.shape[-1]), dtype=y.dtype)
    vjp(fn(w) = conv(x, w, precision), w)[1](y)[0]
}
for dtype in (f32, f16, bf16) {
    let (x, w, y) = (x.astype(dtype), w.astype(dtype), y.astype(dtype))
    check("{dtype}", conv, x, w, of_last)
    check("{dtype} slope of x", of_x, y, w, of_given)
    check("{dtype} slope of w", of_w, y, x, of_made)
}
check("strided", strided, h.some(4, (4, 32, 32, 64)), w, of_last)
check("grouped", grouped, h.some(5, (8, 16, 16, 64)), h.some(6, (3, 3, 32, 256)), of_last)
check("line", conv, h.some(7, (4, 256, 64)), h.some(8, (9, 64, 256)), of_last)
check("volume", conv, h.some(9, (2, 8, 8, 8, 64)), h.some(10, (3, 3, 3, 64, 128)), of_last)

# A library call may also add a bias and another operand.
let (b, r) = (3 * h.some(11, (256,)), h.some(12, (4, 16, 16, 256)))
let found = jit(fn(x, w, b, r) = nn.conv(x, w) + b + r)(x, w, b, r)
let sums = conv(x, w[..., ::16], "highest")
let size = conv(abs(x), abs(w[..., ::16]), "highest") + 1
h.check_error(
    "bias and added",
    found[..., ::16],
    sums + b[::16] + r[..., ::16],
    error_of(f32) * size,
)
print("bias and added all", h.bits(found))
