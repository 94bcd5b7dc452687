# Products of few elements and many terms: a GPU cuts them along the terms.
let key = random.key(0)
fn factors(dtype, a, b) {
    let (ka, kb) = random.split(key)
    (dtype(random.normal(ka, a)), dtype(random.normal(kb, b)))
}
fn shown(name, x) = print("{name}: {sum(x)} {x.reshape(-1)[0]} {x.reshape(-1)[-1]}")

# The last part is short, and so is its last piece.
for dtype in (f32, f64, f16, bf16) {
    let (a, b) = factors(dtype, (2, 2531), (2531, 3))
    shown("{dtype}", a @ b)
}
let (a, b) = factors(f32, (5000,), (5000,))
shown("vectors", a @ b)
let (a, b) = factors(f32, (20, 2100), (2100, 24))
shown("tiles", a @ b)
# Neighbours in memory are others.
let (a, b) = factors(f32, (2048, 3), (5, 2048))
shown("transposed", jit(fn(a, b) = a.T @ b.T)(a, b))
# Each of a batch, and what follows it.
let (a, b) = factors(f32, (2, 3, 1500), (2, 1500, 4))
let c = random.normal(key, (2, 3, 4))
shown("batch", jit(fn(a, b, c) = tanh(0.01 * (a @ b) + c))(a, b, c))
let many = arange(3 * 3000, dtype=i32).reshape(3, 3000)
shown("integers", many @ many.T)
shown("bools", (many % 7 == 0) @ (many.T % 5 == 1))
# As part of a loop, short enough for its kernel and not.
fn repeated(a, b) {
    mut x = a
    for _ in 0..3 { x = x - 0.001 * ((x @ b) @ b.T) }
    x
}
let (a, b) = factors(f32, (2, 1100), (1100, 3))
shown("loop", jit(repeated)(a, b))
let (a, b) = factors(f32, (2, 2100), (2100, 3))
shown("long loop", jit(repeated)(a, b))
