# Arrays of the results of iterations, of `cond`, `switch` and quotients have one dtype, also in an interpreted
# function. An operation of a weak number with f16 or i64 keeps that dtype, which shows that the number is weak.
fn kinds(x) = ((x + f16(1)).dtype, (x * i64(1)).dtype)

fn halves(x) = [v * 0.5 for v in x]
fn halves_late(x) {
    let _ = time()
    [v * 0.5 for v in x]
}
print(kinds(halves([1, 2])), kinds(halves_late([1, 2])), kinds([v * 0.5 for v in [1, 2]]))
fn counts(n) = [if i > 1 { 1 } else { n } for i in 0..4]
fn counts_late(n) {
    let _ = time()
    [if i > 1 { 1 } else { n } for i in 0..4]
}
print(kinds(counts(0.1)), kinds(counts_late(0.1)), kinds(counts(3)), kinds(counts_late(3)))
print(kinds(map(fn(v) = v * 0.5, [1, 2])), kinds(scan(fn(c, v) = (c, 0.5 * v), 0, [1, 2]).1))

fn pairs(x) = [(v, 1, (2.5, true)) for v in x]
fn pairs_late(x) {
    let _ = time()
    [(v, 1, (2.5, true)) for v in x]
}
for x in (i64([1, 2]), i32([1, 2]), f64([1]), u8([1])) {
    let (a, b) = (pairs(x), pairs_late(x))
    print(all(a.0 == b.0), a.1.dtype, b.1.dtype, a.2.0.dtype, b.2.0.dtype)
}
# This comprehension is unrolled, because a shape depends on the item.
fn unrolled(x, t) = [(sum(x) * len(zeros(k)), 1) for k in t]
fn unrolled_late(x, t) {
    let _ = time()
    [(sum(x) * len(zeros(k)), 1) for k in t]
}
print(unrolled(i64([1]), (2, 3)).1.dtype, unrolled_late(i64([1]), (2, 3)).1.dtype)

fn chosen(x) = cond(x > 0, fn(v) = v, fn(v) = v * 0.5, x)
fn chosen_late(x) {
    let _ = time()
    cond(x > 0, fn(v) = v, fn(v) = v * 0.5, x)
}
print(
    chosen(1),
    chosen_late(1),
    chosen(-1),
    chosen_late(-1),
    chosen(1i64).dtype,
    chosen_late(1i64).dtype,
)
fn trees(x) = cond(x > 0, fn() = (1, {b: 2, a: 1.5}), fn() = (0.5, {a: 1, b: 2}))
fn trees_late(x) {
    let _ = time()
    cond(x > 0, fn() = (1, {b: 2, a: 1.5}), fn() = (0.5, {a: 1, b: 2}))
}
print(trees(1), trees(-1))
print(trees_late(1), trees_late(-1))
fn switched(i) = switch(i, (fn() = 1, fn() = 2.5, fn() = f16(3)))
fn switched_late(i) {
    let _ = time()
    switch(i, (fn() = 1, fn() = 2.5, fn() = f16(3)))
}
for i in 0..3 { print(switched(i), switched(i).dtype, switched_late(i), switched_late(i).dtype) }
# A literal has all its digits if the other branch is a number with a dtype.
fn written(n) = if n > 2 { 0.1 } else { f64(n) }
fn written_late(n) {
    let _ = time()
    if n > 2 { 0.1 } else { f64(n) }
}
print(written(3), written_late(3), written(1), written_late(1))
# The types of a branch that reads a file are unknown; the types of the other branch are known.
fn unread(x) {
    let _ = time()
    cond(x > 0, fn() = 1, fn() = read_text("/dev/null"))
}
print(unread(1))

fn half(n) = n / 2
fn half_known(n) {
    let k = n / 2
    let z = zeros(int(k))
    k
}
fn half_late(n) {
    let _ = time()
    n / 2
}
print(kinds(half(4)), kinds(half_known(4)), kinds(half_late(4)), kinds(4 / 2))
print(
    kinds(half([1, 2])),
    kinds(half(u8(3))),
    half(true),
    half_late(3i64).dtype,
    grad(fn(x) = half(3) * x)(2.0),
)

# If a condition chooses between a float and an integer of 64 bits, the result is a float of 64 bits.
fn beside_i64(m) = [where(j < 1, i64(1), 0.1) for j in 0..m]
fn beside_i64_late(m) {
    write_text("/dev/null", "")
    [where(j < 1, i64(1), 0.1) for j in 0..m]
}
print(beside_i64(2), beside_i64_late(2), beside_i64(2).dtype, beside_i64_late(2).dtype)
# If a condition chooses between a bool and an integer, the result is an integer.
fn beside_integer(n, x) = where(n > 1, 100000, x)
fn beside_integer_late(n, x) {
    write_text("/dev/null", "")
    where(n > 1, 100000, x)
}
print(
    beside_integer(1, true),
    beside_integer_late(1, true),
    where(false, 2, true),
    where(true, true, false),
)
# The index of a range beyond 32 bits has 64 bits, in compiled and in interpreted code.
fn beyond(w) {
    mut s = 0
    for i in range(3000000000, 3000000002) { s = i * w }
    (s, [i * w for i in 2147483647..2147483649])
}
fn beyond_late(w) {
    write_text("/dev/null", "")
    mut s = 0
    for i in range(3000000000, 3000000002) { s = i * w }
    (s, [i * w for i in 2147483647..2147483649])
}
print(beyond(4), beyond_late(4))
# expect: (f32, f32) (f32, f32) (f32, f32)
# expect: (f32, f32) (f32, f32) (f16, i64) (f16, i64)
# expect: (f32, f32) (f32, f32)
# expect: true i32 i32 f32 f32
# expect: true i32 i32 f32 f32
# expect: true i32 i32 f32 f32
# expect: true i32 i32 f32 f32
# expect: i32 i32
# expect: 1.0 1.0 -0.5 -0.5 f64 f64
# expect: (1.0, {b: 2, a: 1.5}) (0.5, {b: 2, a: 1.0})
# expect: (1.0, {b: 2, a: 1.5}) (0.5, {b: 2, a: 1.0})
# expect: 1.0 f16 1.0 f16
# expect: 2.5 f16 2.5 f16
# expect: 3.0 f16 3.0 f16
# expect: 0.1 0.1 1.0 1.0
# expect: 1
# expect: (f16, f64) (f16, f64) (f16, f64) (f16, f64)
# expect: (f32, f32) (f32, f32) 0.5 f64 1.5
# expect: [1.0, 0.1] [1.0, 0.1] f64 f64
# expect: 1 1 1 true
# expect: (12000000004, [8589934588, 8589934592]) (12000000004, [8589934588, 8589934592])
