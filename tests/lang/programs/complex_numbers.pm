# Complex numbers in literals, promotion, prints, operators, indices, control flow, transformations and effects.
print(2j, 1.5j, 1 + 2j, -1j, (1 + 2j) * (3 - 1j), (1 + 2j) / 2, (1 + 2j) ** 2, 2 ** 1j == 2 ** 1j)
# expect: 0+2j 0+1.5j 1+2j -0-1j 5+5j 0.5+1j -3+4j true
print(real(3 + 4j), imag(3 + 4j), conj(3 + 4j), abs(3 + 4j), 1j == 1j, 1j != 2j, (2j).real)
# expect: 3.0 4.0 3-4j 5.0 true true 0.0
let z = array([1 + 2j, 3, -0.5j])
print(z, z.dtype, z.shape, z.real, z.imag)
# expect: [1+2j, 3+0j, -0-0.5j] c64 (3,) [1, 3, -0] [2.0, 0.0, -0.5]
print("{z[0]} {z[0]:.2f} {1 + 0.25j} {z}")
# expect: 1+2j 1.00+2.00j 1+0.25j [1+2j, 3+0j, -0-0.5j]

# promotion: weak complex numbers with halves to c64, f64 to c128, integers to c64, but integers of 64 bits to c128
print(
    (f32(1) * 1j).dtype,
    (f64(1) * 1j).dtype,
    (f16([1]) * 1j).dtype,
    (bf16([1]) * 1j).dtype,
    (i32([1]) + 1j).dtype,
)
# expect: c64 c128 c64 c64 c64
print((i64([1]) * 1j).dtype, (u64([1]) * 1j).dtype, result_type(0.5, 1j, i64), result_type(i64, 0.5, 1j))
# expect: c128 c128 c128 c128
print(
    (z + f64(1)).dtype,
    (z * f32(2)).dtype,
    (c128(z) + z).dtype,
    (z + true).dtype,
    (z + 2).dtype,
    array([1, 2.5, 1j]).dtype,
)
# expect: c128 c64 c128 c64 c64 c64
print(
    result_type(c64, f64),
    result_type(c64, f16),
    result_type(c64, i64),
    result_type(1j, f64),
    result_type(1j, i8),
    result_type(c128, c64),
)
# expect: c128 c64 c64 c128 c64 c128
print(
    c128(1.1) * 3,
    c64(f64(0.1)),
    bool(z),
    i32(real(z)),
    zeros(2, dtype=c64),
    ones_like(z),
    complex([1, 2], [3, 4.5]),
)
# expect: 3.3000000000000003+0j 0.1+0j [true, true, true] [1, 3, 0] [0+0j, 0+0j] [1+0j, 1+0j, 1+0j] [1+3j, 2+4.5j]
print(f64(1.1) * 2j, array([2.1j, 1], dtype=c128))
# expect: 0+2.2j [0+2.1j, 1+0j]

# shapes, indexing, updates
let m = z[:, none] * array([1, 1j])
print(m.T, m[1], m[[2, 0], 1], flip(z), concatenate((z, [1j]))[2:])
# expect: [[1+2j, 3+0j, 0-0.5j], [-2+1j, 0+3j, 0.5-0j]] [3+0j, 0+3j] [0.5-0j, -2+1j] [-0-0.5j, 3+0j, 1+2j] [-0-0.5j, 0+1j]
print(z with [1] = 2j, z with [[0, 0]] += 1j, z with [0] *= 1j, z with [[1, 1, 0]] *= 1j)
# expect: [1+2j, 0+2j, -0-0.5j] [1+4j, 3+0j, -0-0.5j] [-2+1j, 3+0j, -0-0.5j] [-2+1j, -3+0j, -0-0.5j]
print(where(z == 3, 1j, z), z == 3, any(z == 3), isnan(z / 0), sort(array([2j, 1 + 1j, 1 - 1j, 0])))
# expect: [1+2j, 0+1j, -0-0.5j] [false, true, false] true [false, true, true] [0+0j, 0+2j, 1-1j, 1+1j]
print(
    sum(z),
    prod(z),
    mean(z),
    var(z),
    cumsum(z),
    cumprod(z),
    m @ m.T == m @ m.T,
    sum(z * conj(z)).real,
)
# expect: 4+1.5j 3-1.5j 1.3333334+0.5j 2.7222223 [1+2j, 4+2j, 4+1.5j] [1+2j, 3+6j, 3-1.5j] [[true, true, true], [true, true, true], [true, true, true]] 14.25

# complex numbers as carried values and results of branches
fn mandelbrot(c) {
    mut z = 0j
    mut n = 0
    while n < 50 and abs(z) <= 2 {
        z = z * z + c
        n += 1
    }
    n
}
print(mandelbrot(c64(0.3 + 0.5j)), mandelbrot(c64(1 + 1j)), vmap(mandelbrot)(array([1j, 1, -1])))
# expect: 50 2 [50, 3, 50]
fn horner(coefficients, x) {
    mut y = 0 * x
    for c in coefficients { y = y * x + c }
    y
}
print(horner([1, 0, 1], array([1j, 2, 1 + 1j])), scan(fn(a, x) = (a * x, a), c64(1), z)[0])
# expect: [0+0j, 5+0j, 1+2j] 3-1.5j
fn choose(c, z) = if c { z * 1j } else { conj(z) }
print(jit(choose)(true, z[0]), vmap(choose)(array([true, false]), z[:2]))
# expect: -2+1j [-2+1j, 3-0j]

# derivatives: JAX's conventions
print(
    grad(fn(z) = abs(z) ** 2)(1 + 2j),
    grad(fn(z) = real(z * z))(1 + 2j),
    grad(fn(z) = z ** 3, holomorphic=true)(1 + 1j),
)
# expect: 2-4j 2+4j 0+6j
print(jvp(conj, (z,), (1j * ones_like(z),))[1], vjp(fn(z) = z * 2j, z)[1](ones_like(z))[0])
# expect: [0-1j, 0-1j, 0-1j] [0+2j, 0+2j, 0+2j]
print(jacrev(fn(z) = z * z, holomorphic=true)(array([1j, 2])), grad(fn(x) = imag(exp(1j * x)))(0.0))
# expect: [[0+2j, 0+0j], [0+0j, 4+0j]] 1.0
print(grad(abs)(c64(0)), value_and_grad(fn(z) = sum(real(z) * imag(z)))(z[:2]))
# expect: 0+0j (2.0, [2-1j, 0-3j])
print(vmap(grad(fn(z) = abs(z)))(array([3 + 4j, -2])))
# expect: [0.6-0.8j, -1-0j]

# effects and devices
fn shown(z) {
    print("in {z} and {z[0]:.1f}")
    assert(abs(z[0]) < 100, "too far: {z[0]}")
    z
}
print(jit(shown)(z) + 1)
# expect: in [1+2j, 3+0j, -0-0.5j] and 1.0+2.0j
# expect: [2+2j, 4+0j, 1-0.5j]
print(
    pmap(fn(z) = (psum(z, "i"), pmean(z, "i"), all_gather(z, "i")), axis_name="i")(array([1j, 3]))[
        0:2,
    ],
)
# expect: ([3+1j, 3+1j], [1.5+0.5j, 1.5+0.5j])
print(
    pmap(fn(z) = ppermute(z, "i", ((0, 1), (1, 0))), axis_name="i")(array([1j, 3])),
    random.normal(random.key(0), (2,), dtype=c64).dtype,
)
# expect: [3+0j, 0+1j] c64

# a format applies to both parts, the width to the whole text
print("[{1 + 2j:>12}] [{z[0] / 3:.3f}] [{c64(-0.5j):<+10.1f}] [{1e-9 + 1j}]")
# expect: [        1+2j] [0.333+0.667j] [-0.0-0.5j ] [1e-09+1j]

# weak complex numbers keep their digits if the other operand has 64 bits, also in compiled code
let weak = 1.1j
fn times(a, b) = a * b * weak
print(times(1.1j, f64(2)), times(1.1j, f32(2)), times(1j, 3))
# expect: -2.4200000000000004+0j -2.42+0j -3.3000002+0j
# Products of conjugates, as in NumPy.
print(vecdot([1j], [1j]), vecmat(array([1j]), array([[1 + 0j]])), correlate([1j], [1j]), cov(array([1 + 1j, 2])))
# expect: 1+0j [0-1j] [1+0j] 1+0j
