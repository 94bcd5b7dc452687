# Slopes whose formulas have squares are right where the squares overflow or become 0, in each dtype, also of second order.
fn relative(f, x, expected) = abs(grad(f)(x) / expected - 1)
print(
    relative(asinh, f16(300), 1 / 300) < 1e-2,
    relative(asinh, f16(6e4), 1 / 6e4) < 5e-2,
    relative(atan, f16(300), 1 / 9e4) < 1e-1,
)
print(
    relative(asinh, -1e30, 1e-30) < 1e-6,
    relative(acosh, 1e30, 1e-30) < 1e-6,
    relative(atan, 1e18, 1e-36) < 1e-6,
)
print(
    relative(asinh, f64(1e200), 1e-200f64) < 1e-15,
    relative(acosh, f64(1e200), 1e-200f64) < 1e-15,
)
print(relative(atan, f64(1e150), 1e-300f64) < 1e-14, relative(grad(asinh), 1e12, -1e-24) < 1e-5)
# expect: true true true
# expect: true true true
# expect: true true
# expect: true true

# The value is not changed where no square is large, and infinite arguments have slope 0.
print(
    abs(grad(asinh)(2.0) * sqrt(5.0) - 1) < 1e-7,
    grad(atan)(2.0),
    grad(asinh)(inf),
    grad(acosh)(inf),
    grad(atan)(-inf),
)
# expect: true 0.2 0.0 0.0 0.0

# arctan2 at small and large points.
fn angle(p) = arctan2(p[0], p[1])
fn close(a, b) = all(abs(a / b - 1) < 1e-5)
print(
    close(grad(angle)([3e-30, 4e-30]), [1.6e29, -1.2e29]),
    close(grad(angle)([3e30, 4e30]), [1.6e-31, -1.2e-31]),
)
print(close(grad(angle)([3e-200f64, 4e-200]), [1.6e199f64, -1.2e199]), grad(angle)([3.0, 4.0]))
# expect: true true
# expect: true [0.16, -0.12]

# The slope of asin keeps its digits near 1: 1 - x is exact there.
let x = 1 - 2.0 ** -12
let slope = 2 ** 6 / sqrt(2 - 2.0 ** -12)
print(abs(grad(asin)(x) / slope - 1) < 1e-6, abs(grad(acos)(x) / slope + 1) < 1e-6)
# expect: true true
