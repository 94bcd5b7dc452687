# Products of few elements and many terms: a GPU divides the terms into parts.
# configs: compiled mixed gpu-emulated gpu
let key = random.key(0)
fn factors(dtype, a, b) {
    let (ka, kb) = random.split(key)
    (dtype(random.normal(ka, a)), dtype(random.normal(kb, b)))
}
fn shown(name, x) = print("{name}: {sum(x)} {x.reshape(-1)[0]} {x.reshape(-1)[-1]}")

# The last part of the terms is shorter than the others, and so is the last piece of this part.
for dtype in (f32, f64, f16, bf16) {
    let (a, b) = factors(dtype, (2, 2531), (2531, 3))
    shown("{dtype}", a @ b)
}
let (a, b) = factors(f32, (5000,), (5000,))
shown("vectors", a @ b)
let (a, b) = factors(f32, (20, 2100), (2100, 24))
shown("tiles", a @ b)
# A transposed operand: the adjacent elements in memory are along the other axis.
let (a, b) = factors(f32, (2048, 3), (5, 2048))
shown("transposed", jit(fn(a, b) = a.T @ b.T)(a, b))
# A batch with an epilogue, and products of integers and bools.
let (a, b) = factors(f32, (2, 3, 1500), (2, 1500, 4))
let c = random.normal(key, (2, 3, 4))
shown("batch", jit(fn(a, b, c) = tanh(0.01 * (a @ b) + c))(a, b, c))
let many = arange(3 * 3000, dtype=i32).reshape(3, 3000)
shown("integers", many @ many.T)
shown("bools", (many % 7 == 0) @ (many.T % 5 == 1))
# Many products of one tile each, of narrow integers.
let narrow = (arange(512 * 65 * 2) * 7919 % 251).reshape(512, 65, 2)
for dtype in (i8, i16) {
    let x = dtype(narrow % 64)
    shown("{dtype}", x @ swapaxes(x[:, :17], 1, 2))
}
# Products in a loop, with few enough terms for one kernel of the loop, and with too many.
fn repeated(a, b) {
    mut x = a
    for _ in 0..3 { x = x - 0.001 * ((x @ b) @ b.T) }
    x
}
let (a, b) = factors(f32, (2, 1100), (1100, 3))
shown("loop", jit(repeated)(a, b))
let (a, b) = factors(f32, (2, 2100), (2100, 3))
shown("long loop", jit(repeated)(a, b))

# expect: f32: 41.970715 40.5893 8.621067
# expect: f64: 41.9706914586409 40.58930493091431 8.621058265616256
# expect: f16: 41.97 40.6 8.64
# expect: bf16: 42.2 40.5 8.75
# expect: vectors: 27.106274 27.106274 27.106274
# expect: tiles: -325.6173 21.224592 88.82383
# expect: transposed: -184.80725 -65.67079 -15.41178
# expect: batch: 5.863168 0.96888715 0.7196205
# expect: integers: -57178572 405565908 -821191340
# expect: bools: 9 true true
# expect: i8: -291745 100 104
# expect: i16: 1083178335 100 2664
# expect: loop: -48.121887 1.0221195 0.5158727
# expect: long loop: 6.399804 1.0185542 1.2191478
