# A sum of n products of one sign has a relative error of at most 2e-7 log2(n), for every shape, also if equal products lead to rounding errors of one sign.
# configs: compiled evaluate mixed-2
fn holds(what, n, found, exact) {
    let off = max(abs(f64(found) - exact) / exact)
    assert(off <= 2e-7 * log2(float(n)), "{what} of {n}: {off / (2e-7 * log2(float(n)))}")
}
## Numbers from 1/2 to 1; in every second row all numbers are equal.
fn numbers(shape, seed) {
    let x = random.uniform(random.key(seed), shape, minval=0.5)
    where(arange(shape[-2])[:, none] % 2 == 0, x[..., :1], x)
}
let (fixed, other) = (numbers((4, 1), 1), numbers((4, 1), 2))

fn vectors(n) {
    for (c, d) in tuple(zip(fixed[:, 0], other[:, 0])) {
        let (x, y) = (ones(n) * c, ones(n) * d)
        let exact = n * f64(c) * f64(d)
        holds("dot", n, dot(x, y), exact)
        holds("vdot", n, vdot(x, y), exact)
        holds("inner", n, inner(x, y), exact)
        holds("einsum", n, einsum("i,i->", x, y), exact)
        holds("fused", n, sqrt(exp2(log2(x @ y))) ** 2, exact)
    }
}
for n in (100, 1024, 1048577) { vectors(n) }
print("vectors")

fn product(a, b) = a @ b
fn turned(a, b) = a.mT @ b.mT
fn matrices(n) {
    for (m, c) in ((3, 1), (1, 20), (9, 2)) {
        let (a, b) = (numbers((m, n), n), numbers((c, n), n + 1).T)
        let exact = f64(a) @ f64(b)
        holds("matmul {m} {c}", n, product(a, b), exact)
        holds("of columns {m} {c}", n, turned(a.T + 0, b.T + 0), exact)
        holds("highest", n, matmul(a, b, precision="highest"), exact)
        holds("tensordot", n, tensordot(a, b, axes=1), exact)
        let (p, q) = (stack((a, 2 * a)), stack((b, b)))
        holds("batch", n, p @ q, stack((exact, 2 * exact)))
        holds("vmap", n, vmap(product)(p, q), stack((exact, 2 * exact)))
        holds("einsum", n, einsum("bmk,bkc->bmc", p, q), stack((exact, 2 * exact)))
        let slope = grad(fn(w) = sum(a.T @ w))(b[:m])
        holds("derivative", n, slope, zeros(b[:m].shape, dtype=f64) + sum(f64(a), axis=1)[:, none])
    }
}
for n in (3000, 50001) { matrices(n) }
print("matrices")

for dtype in (f16, bf16) {
    let n = 50001
    let (a, b) = (numbers((4, n), 5).astype(dtype), numbers((6, n), 6).astype(dtype).T)
    holds("{dtype}", n, matmul(a, b, preferred_element_type=f32), f64(a) @ f64(b))
}
print("halves")

# expect: vectors
# expect: matrices
# expect: halves
