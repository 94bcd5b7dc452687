# A dtype of 64 bits among the arguments keeps the digits of the numbers among them.
print(
    logspace(0.0, 1.0, 3, dtype=f64),
    geomspace(1.0, 100.0, 3, dtype=f64),
    asarray([0.1], dtype=f64),
)
print(random.uniform(random.key(0), (1,), dtype=f64, minval=0.1, maxval=0.3))
fn cast(x, dtype) = x.astype(dtype)
print(
    cast(0.1, f64),
    cast(0.1, dtype=f64),
    cast({a: 0.1}.a, f64),
    cast(0.1, f32).astype(f64),
    cast(3000000000, i64),
)
fn in_code(v) = v + cast(0.1, f64)
print(
    in_code(f32(0)),
    jit(in_code)(f64(0)),
    vmap(in_code)(zeros(2)),
    grad(fn(x) = cast(x, f64) * 0.1)(f64(1)),
)
print(
    geomspace(1.0, 1000.0, 4)[-1] == 1000,
    geomspace(-1.0, [-8.0, -27.0], 3, axis=1),
    geomspace(2, 32, 4, endpoint=false),
)
# Integers wrap around as without the dtype, in compiled and in interpreted functions.
fn wrapped(v) = cast(v * 1000000000, i64)
fn wrapped_late(v) {
    let now = time()
    cast(v * 1000000000, i64)
}
print(wrapped(3), wrapped_late(3), jit(wrapped)(3))
fn nested(o) = o.x.astype(o.dtype)
print(nested({x: 0.1, dtype: f64}), cast(0.1, (f64,)[0]))

# expect: [1.0, 3.1622776601683795, 10.0] [1, 10, 100] [0.1]
# expect: [0.1836914223432773]
# expect: 0.1 0.1 0.1 0.10000000149011612 3000000000
# expect: 0.1 0.1 [0.1, 0.1] 0.1
# expect: true [[-1.0, -2.828427, -8.0], [-1.0, -5.196152, -27.0]] [2, 4, 8, 16]
# expect: -1294967296 -1294967296 -1294967296
# expect: 0.1 0.1
