# A sum of n numbers of similar size has a relative error of at most 2e-7 log2(n), along all axes, also in scatters. The worst case are equal numbers: all rounding errors have one sign.
# configs: compiled evaluate mixed-2
fn holds(what, n, found, exact) {
    let off = max(abs(f64(found) - exact) / exact)
    assert(off <= 2e-7 * log2(float(n)), "{what} of {n}: {off / (2e-7 * log2(float(n)))}")
}
let terms = (f32(0.1), f32(0.7), f32(1.3))

fn sums(what, shape, axis, n) {
    for c in terms {
        holds(what, n, sum(full(shape, c), axis=axis), n * f64(c))
        holds("mean {what}", n, mean(full(shape, c), axis=axis), f64(c))
    }
}
sums("rows of a vector", (5000,), 0, 5000)
sums("all", (32768,), 0, 32768)
sums("all", (100000, 3), none, 300000)
sums("all", (40, 30, 1000), none, 1200000)
sums("down rows", (70, 7), 0, 70)
sums("down rows", (1024, 40), 0, 1024)
sums("down rows", (100000, 5), 0, 100000)
sums("two outer axes", (4, 200000, 3), (0, 1), 800000)
sums("the outer axes", (2, 3, 100000), (0, 2), 200000)
sums("the outer axes", (300, 20, 30), (0, 2), 9000)
sums("the inner axes", (3, 1000, 20), (1, 2), 20000)
print("sums")

for c in terms {
    # The gradient of a broadcast, and a sum that is one of several stages of a nest.
    holds("gradient", 100000, grad(fn(s) = sum(s * full((100000, 3), c)))(f32(1)), 300000 * f64(c))
    holds("softmax", 100000, sum(nn.softmax(full((100000, 3), c), axis=0), axis=0), 1.0)
}
print("stages")

for c in terms {
    let zeros_of = zeros(100000, i32)
    holds("segment_sum", 100000, segment_sum(full(100000, c), zeros_of, 1), 100000 * f64(c))
    holds(
        "segment_sum of rows",
        25000,
        segment_sum(full((100000, 3), c), arange(100000) % 4, 4),
        25000 * f64(c),
    )
    mut x = zeros(4, f32)
    x[arange(100000) % 4] += c
    holds("added elements", 25000, x, 25000 * f64(c))
    holds(
        "gradient of reads",
        25000,
        grad(fn(w) = sum(c * w[arange(100000) % 4]))(ones(4)),
        25000 * f64(c),
    )
    holds(
        "batch of segment_sum",
        5000,
        vmap(fn(s) = segment_sum(full(10000, c) * s, arange(10000) % 2, 2))(ones(3)),
        5000 * f64(c),
    )
}
# Each factor of the product is rounded: the error is at most 1e-6 of the product.
let factor = f32(1.0001)
let product = segment_prod(full(100000, factor), arange(100000) % 2, 2)
assert(max(abs(f64(product) / f64(factor) ** 50000 - 1)) < 1e-6, "segment_prod: {product}")
let halves = segment_sum(full(4096, bf16(0.1)), arange(4096) % 2, 2)
assert(max(abs(f64(halves) / (2048 * f64(bf16(0.1))) - 1)) < 0.004, "segment_sum of bf16: {halves}")
print("scatters")

# expect: sums
# expect: stages
# expect: scatters
