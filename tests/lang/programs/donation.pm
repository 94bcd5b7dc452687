# Calls with donated arguments have the results of calls without donation, for any order of reads and writes. An array
# to which other references exist is not overwritten.
# devices: 1 2 3 8
fn both(f) {
    let plain = pmap(f, axis_name="i")
    let using = pmap(f, axis_name="i", donate_argnums=0)
    (plain, using)
}
fn turned(x) {
    mut y = x
    for k in 0..100 { y[k] = x[len(x) - 1 - k] * 2.0 }
    y
}
fn stepped(x) {
    mut y = x
    mut n = 0
    while n < 3 {
        y = y - 0.5 * psum(y, "i")
        n += 1
    }
    y
}
fn branched(x) = if axis_index("i") % 2 == 0 { x + 1.0 } else { x[::-1] }
let functions = (
    fn(x) = x - 0.1,
    fn(x) = x[::-1] + x,
    fn(x) = cumsum(x) - x,
    fn(x) = sort(x),
    fn(x) = x - pmean(x, "i"),
    fn(x) = ppermute(x, "i", ((0, 1), (1, 0))) + x,
    fn(x) = sum(all_gather(x, "i"), axis=0) * x,
    fn(x) = all_gather(x, "i")[(axis_index("i") + 1) % axis_size("i")],
    fn(x) = roll(x, 1) * x[0],
    turned,
    stepped,
    branched,
)
let start = random.normal(random.key(7), (24, 4000))
for f in functions {
    let (plain, using) = both(f)
    mut x = start + 0.0
    let expected = plain(x)
    x = using(x)
    assert(array_equal(x, expected))
    x = using(x)
    assert(array_equal(x, plain(expected)))
}
# results in the memory of another donated array of the same type; other axes, trees, complex numbers, integers
let swap = pmap(fn(a, b) = (b, a + b), donate_argnums=(0, 1))
mut a = start + 0.0
mut b = start * 2.0
(a, b) = swap(a, b)
assert(array_equal(a, start * 2.0) and array_equal(b, start * 3.0))
(a, b) = swap(a, b)
assert(array_equal(a, start * 3.0) and allclose(b, start * 5.0))
let columns = pmap(fn(x) = x * 2.0, in_axes=1, out_axes=1, donate_argnums=0)
mut c = start.T + 0.0
c = columns(c)
assert(array_equal(c, 2.0 * start.T))
let crossed = pmap(fn(x) = x * 2.0, in_axes=1, out_axes=0, donate_argnums=0)
mut square = start[:, :24] + 0.0
square = crossed(square)
assert(array_equal(square, 2.0 * start[:, :24].T))
let blocks = pmap(fn(x) = x - psum(sum(x), "i"), axis_name="i", tiled=true, axis_size=1, donate_argnums=0)
mut d = start + 0.0
d = blocks(d)
assert(allclose(d, start - sum(start)))
let rough = pmap(fn(x) = x + 1, uneven=true, donate_argnums=0)
mut u = arange(5 * 3000).reshape(5, 3000)
u = rough(u)
assert(array_equal(u, 1 + arange(5 * 3000).reshape(5, 3000)))
let tree = pmap(fn(p, g) = {w: p.w - 0.1 * g, b: p.b * 1j, n: p.n + 1}, in_axes=(0, 0), donate_argnums=0)
mut p = {w: start + 0.0, b: c64(start), n: zeros((24,), dtype=i32)}
for i in 0..3 { p = tree(p, start) }
assert(allclose(p.w, 0.7 * start, atol=1e-6) and array_equal(p.b, start * -1j) and all(p.n == 3))
# an array that all devices share
let whole = pmap(fn(w, x) = w - 0.1 * pmean(x, "i"), axis_name="i", in_axes=(none, 0), out_axes=none, donate_argnums=0)
mut w = ones((4000,))
w = whole(w, start)
assert(allclose(w, 1 - 0.1 * mean(start, axis=0), atol=1e-6))
# arrays that are not overwritten: another name refers to the array, the array is passed twice, or a view exists
let minus = pmap(fn(x, y) = x - y, donate_argnums=0)
mut x = start + 0.0
let kept = x
let rows = x[:12]
let less = minus(x, x)
assert(all(less == 0.0) and array_equal(kept, start) and array_equal(rows, start[:12]))
let other = kept
assert(all(minus(other + 0.0, kept) == 0.0))
# an argument that is computed in the call has no other name, so it is donated
assert(array_equal(minus(start + 1.0, start * 1.0), (start + 1.0) - start))
# in compiled code no argument is donated
fn twice(x) {
    let y = minus(x, 0.5 * x)
    minus(y, 0.5 * y) + x
}
assert(allclose(jit(twice)(start), 1.25 * start))
# a local variable of an interpreted function is donated
fn rounds(x, n) {
    mut x = x + 0.0
    for i in 0..n { x = minus(x, start) }
    x
}
assert(allclose(rounds(start, 2), -start, atol=1e-6))
print("same")
# expect: same
