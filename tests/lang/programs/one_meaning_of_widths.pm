# If a function has data of 64 bits, its numbers without a dtype have 64 bits: returned to the module, batched, or
# carried by a loop. A literal has the dtype of an array of literals.
fn dtype_of(x) = x.dtype
let w = i64([3, 4])

fn first(n, y) = n
fn first_late(n, y) {
    let _ = time()
    n
}
fn through(n, y) = first(n, y)
print(
    tree_map(
        dtype_of,
        (
            first(3, w),
            first_late(3, w),
            through(3, w),
            jit(first)(3, w),
            vmap(first, in_axes=(none, 0))(3, w),
        ),
    ),
)
print(
    tree_map(
        dtype_of,
        ([first(3, w)], first(3, w) + 1, first(0.5, w) * 2, [first(0.5, f64(w)) / 3]),
    ),
)
print(first(16777217, w) * 2000000000, [first(0.1, f64(w))], first(1j, f64(w)).dtype)

# A weak result that is computed from data of 64 bits.
fn half(x) = x * 0.5
print(
    tree_map(
        dtype_of,
        (
            i64(3) * 0.5,
            [i64(3) * 0.5],
            i64([3]) * 0.5,
            half(i64(3)),
            vmap(half)(w),
            u64(3) * 1j,
            i32(3) * 0.5,
        ),
    ),
)
print((f16([1]) * (i64(3) * 0.5)).dtype, i64(16777217) * 1.0)

# Iterations that return a literal.
fn kept(x) =
    ([3 for v in x], map(fn(v) = 0.5, x), scan(fn(c, v) = (c, 3), 0, x).1, vmap(fn(v) = 3)(x), [3])
fn kept_late(x) {
    let _ = time()
    ([3 for v in x], map(fn(v) = 0.5, x), scan(fn(c, v) = (c, 3), 0, x).1, vmap(fn(v) = 3)(x), [3])
}
print(tree_map(dtype_of, kept(w)))
print(tree_map(dtype_of, kept_late(w)))
print(
    tree_map(
        dtype_of,
        (
            [3 for v in w],
            map(fn(v) = 0.5, w),
            scan(fn(c, v) = (c, 3), 0, w).1,
            vmap(fn(v) = 3)(w),
            [3],
        ),
    ),
)

# The length of a range is a computed number if one of its bounds is a computed number.
fn length(n, x) = (len(0..n), [len(range(0, n, 2))], len(range(n)) * 1000000000)
fn length_late(n, x) {
    let _ = time()
    (len(0..n), [len(range(0, n, 2))], len(range(n)) * 1000000000)
}
for n in (4, i32(4)) {
    for x in (1.0, f64(1)) {
        print(
            length(n, x),
            length_late(n, x),
            tree_map(dtype_of, length(n, x)),
            tree_map(dtype_of, length_late(n, x)),
        )
    }
}

# A number that needs more than 32 bits.
for x in (1.0, w) {
    print(first(3000000000, x).dtype, first_late(3000000000, x).dtype, first(3000000000, x) + 1)
}
print(vmap(first, in_axes=(none, 0))(3000000000, w), [first(3000000000, w)])

# A condition chooses between a literal and a computed number.
fn slope_or_one(n, a) {
    mut m = grad(fn(u) = u * u)(1.5)
    if n > 0 { m = 1 }
    (m, a)
}
fn slope_or_one_late(n, a) {
    let _ = time()
    mut m = grad(fn(u) = u * u)(1.5)
    if n > 0 { m = 1 }
    (m, a)
}
for n in 0..2 {
    print(tree_map(fn(x) = x.dtype, (slope_or_one(n, i64([4])), slope_or_one_late(n, i64([4])))))
}

# The length of a range whose bound has a dtype, also if the bound is known because it is a size.
fn length_of_typed(n) = [len(0..n)] * 1000000000
fn length_of_size(n) {
    let r = zeros(n)
    [len(0..n)] * 1000000000
}
fn length_of_size_late(n) {
    let _ = time()
    let r = zeros(n)
    [len(0..n)] * 1000000000
}
fn length_of_written(n) = [len(0..5i64)] * 1000000000 + n
for n in (5, 5i64, i32(5)) {
    print(length_of_typed(n), length_of_size(n), length_of_size_late(n), length_of_written(n))
}
# expect: (i64, i64, i64, i64, i64)
# expect: (i64, i64, f64, f64)
# expect: 33554434000000000 [0.1] c128
# expect: (f64, f64, f64, f64, f64, c128, f32)
# expect: f16 16777217.0
# expect: (i32, f32, i32, i32, i32)
# expect: (i32, f32, i32, i32, i32)
# expect: (i32, f32, i32, i32, i32)
# expect: (4, [2], 4000000000) (4, [2], 4000000000) (i64, i64, i64) (i64, i64, i64)
# expect: (4, [2], 4000000000) (4, [2], 4000000000) (i64, i64, i64) (i64, i64, i64)
# expect: (4, [2], 4000000000) (4, [2], 4000000000) (i64, i64, i64) (i64, i64, i64)
# expect: (4, [2], 4000000000) (4, [2], 4000000000) (i64, i64, i64) (i64, i64, i64)
# expect: i32 i32 3000000001
# expect: i64 i64 3000000001
# expect: [3000000000, 3000000000] [3000000000]
# expect: ((f64, i64), (f64, i64))
# expect: ((f64, i64), (f64, i64))
# expect: [5000000000] [5000000000] [5000000000] [5000000005]
# expect: [5000000000] [5000000000] [5000000000] [5000000005]
# expect: [5000000000] [5000000000] [5000000000] [5000000005]
