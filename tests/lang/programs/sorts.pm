# Sorts of many lengths and types: the order, indices of equal elements, several keys, batches, derivatives, devices.
# devices: 1 2

# Unsorted numbers from 0 to 16777215.
fn scattered(n, seed) =
    (arange(n, dtype=u32) * 2654435761 + seed * 40503) ^ (
        (arange(n, dtype=u32) + seed) * 2246822519 >> 7
    )
fn few(n, seed, count) = i32(scattered(n, seed) >> 5) % count

# A digest that depends on the index of each element.
fn digest(places) = sum(i64(places) * (1 + arange(places.shape[-1], dtype=i64) * 7919 % 100003))

# The indices are a stable sort: each element once, no element before a smaller one, equal elements in original order.
fn is_stable(x, places) {
    let y = x[places]
    let rising = (y[:-1] < y[1:]) | ((y[:-1] == y[1:]) & (places[:-1] < places[1:]))
    all(rising) and
        sum(i64(places)) == sum(arange(x.shape[0], dtype=i64)) and
        array_equal(sort(x), y)
}

fn of_length(n) {
    let x = few(n, 3, 1 + n // 3)
    let f = f32(scattered(n, 5) >> 8) / 1000.0 - 8000.0
    (digest(argsort(x)), digest(argsort(f)), is_stable(x, argsort(x)) and is_stable(f, argsort(f)))
}
for n in [1, 2, 3, 31, 33, 256, 1023, 1024, 1025, 5000] { print(n, of_length(n)) }
print(sort(f32([])), argsort(zeros((0, 3)), axis=0).shape, argsort(zeros((3, 0))).shape)

# Zeros of both signs are equal; NaNs are equal to each other and are last.
fn odd(x) = (sort(x), argsort(x), argsort(x, descending=true))
let specials = array([nan, 0.0, -inf, -0.0, 1e-45, -nan, inf, -1.0, 0.0, -0.0, nan, 1.0])
print(odd(specials), odd(specials.astype(f64)))
print(odd(specials.astype(f16)), odd(specials.astype(bf16)))
fn tiled_specials(x, n) = digest(argsort(tile(x, n)))
print([tiled_specials(specials, n) for n in [1, 85, 86, 200]])

# Sorts of all types.
fn of_types(n) {
    let s = scattered(n, 11)
    (
        digest(argsort(s > 2147483648)),
        digest(argsort(s.astype(u8))),
        digest(argsort(s.astype(i8))),
        digest(argsort(i64(s) * 4294967296 - 9000000000000000000)),
        digest(argsort(u64(s) * 4294967297)),
        digest(argsort((f32(s) / 1e9).astype(bf16))),
        digest(argsort((f32(s) / 1e9).astype(f16))),
        digest(argsort(f64(s) - 2e9)),
    )
}
print(of_types(100))
print(of_types(3000))

# Sorts by several keys; the last key is the primary key.
fn by_keys(n) {
    let (a, b, c) = (few(n, 1, 4), f32(few(n, 2, 3)), few(n, 9, 2) == 1)
    (
        digest(lexsort((a, b, c))),
        digest(lexsort((c, a))),
        digest(lexsort([few(n, k, 2) for k in range(12)])),
    )
}
print(by_keys(50), by_keys(700), by_keys(2000))

# Complex numbers are sorted by the real part, then by the imaginary part.
fn of_complex(n) = digest(argsort(complex(f32(few(n, 41, 5)), f32(few(n, 43, 7)))))
print(of_complex(100), of_complex(2000))

# Sorts of rows, along other axes, and of rows in a batch.
fn batches(rows, n) {
    let x = few(rows * n, 17, 1000).reshape((rows, n))
    (
        digest(argsort(x).reshape(-1)),
        digest(argsort(x, axis=0).reshape(-1)),
        digest(vmap(argsort)(x).reshape(-1)),
    )
}
print(batches(4, 6), batches(700, 3), batches(3, 1100))

# Functions that are composed of sorts.
fn others(n) {
    let x = few(n, 23, n // 2)
    let f = f32(x) / 3.0
    (
        top_k(f, 3),
        top_k(f.astype(f16), 3),
        median(f),
        quantile(f, 0.3),
        sum(unique(x, size=n)),
        sum(i64(sort(x, descending=true)[:5])),
    )
}
print(others(1000))
print(others(2500))

# The cotangents of a sort are moved back to the original indices of the elements.
fn weighed(x) = sum(sort(x * x) * (arange(x.shape[0]) % 7.0))
fn slope(n) {
    let x = f32(few(n, 29, 50) - 25)  # all sums in the comparison are exact
    let g = grad(weighed)(x)
    (
        sum(g * (arange(n) % 5.0)),
        jvp(weighed, (x,), (ones(n),)).1,
        digest(argsort(vmap(grad(weighed))(stack((x, -x)))).reshape(-1)),
    )
}
print(slope(20), slope(1030))

# In loops the operand is sorted in place.
fn again(x, turns) {
    mut y = x
    for k in 0..turns { y = sort((y * 31 + k) % 1009) }
    (sum(i64(y) * arange(x.shape[0], dtype=i64)))
}
print(again(few(40, 31, 1000), 5), again(few(1500, 31, 1000), 5))

# A sort in one kernel with other steps that use the memory of a block.
fn walked(x, w, turns) {
    mut (y, k) = (x, 0)
    while k < turns and sum(y) < 1e9 {
        y = sort((y @ w) % 17.0, axis=1) + sort(y, axis=0) - max(y, axis=1, keepdims=true)
        if k % 2 == 0 { y = sort(-y) }
        k += 1
    }
    (sum(y * (arange(y.shape[1]) % 3.0)), max(y), y[0, :3])
}
fn numbers(m, n) = f32(few(m * n, 47, 9)).reshape((m, n))
print(walked(numbers(3, 5), numbers(5, 5), 5))
print(walked(numbers(300, 70), numbers(70, 70), 4))

fn on_devices(x) = pmap(fn(row) = (sort(row), psum(sort(row)[0], "i")), axis_name="i")(x)
fn summed(n) {
    let (rows, least) = on_devices(few(2 * n, 37, 5000).reshape((2, n)))
    (sum(i64(rows) * arange(n, dtype=i64)), least)
}
print(summed(9), summed(1300))
# expect: 1 (0, 0, true)
# expect: 2 (7920, 7920, true)
# expect: 3 (39598, 31679, true)
# expect: 31 (20561858, 21571428, true)
# expect: 33 (23415202, 25312184, true)
# expect: 256 (1624187254, 1648416195, true)
# expect: 1023 (26132969307, 26391513437, true)
# expect: 1024 (26063430269, 26445346147, true)
# expect: 1025 (25968507085, 26638182143, true)
# expect: 5000 (621182984111, 626181357507, true)
# expect: [] (0, 3) (3, 0)
# expect: ([-inf, -1.0, 0.0, -0.0, 0.0, -0.0, 1e-45, 1.0, inf, nan, nan, nan], [2, 7, 1, 3, 8, 9, 4, 11, 6, 0, 5, 10], [0, 5, 10, 6, 11, 4, 1, 3, 8, 9, 7, 2]) ([-inf, -1.0, 0.0, -0.0, 0.0, -0.0, 1.401298464324817e-45, 1.0, inf, nan, nan, nan], [2, 7, 1, 3, 8, 9, 4, 11, 6, 0, 5, 10], [0, 5, 10, 6, 11, 4, 1, 3, 8, 9, 7, 2])
# expect: ([-inf, -1.0, 0.0, -0.0, 0.0, 0.0, -0.0, 1.0, inf, nan, nan, nan], [2, 7, 1, 3, 4, 8, 9, 11, 6, 0, 5, 10], [0, 5, 10, 6, 11, 1, 3, 4, 8, 9, 7, 2]) ([-inf, -1.0, 0.0, -0.0, 0.0, 0.0, -0.0, 1.0, inf, nan, nan, nan], [2, 7, 1, 3, 4, 8, 9, 11, 6, 0, 5, 10], [0, 5, 10, 6, 11, 1, 3, 4, 8, 9, 7, 2])
# expect: [3199342, 25929201583, 26408422555, 144389865909]
# expect: (260197594, 242525773, 242167928, 254229068, 245884137, 247024473, 245884137, 245884137)
# expect: (224632969635, 225006354938, 220288843559, 225830125914, 224822021947, 221681020658, 224806425995, 224822021947)
# expect: (65085614, 63041356, 59985890) (12240726081, 12066200788, 12165943292) (99525915379, 100703982354, 100469683650)
# expect: 254189027 100089996154
# expect: (2721550, 1350831, 2721550) (104245863, 36802098600, 104245863) (90796558359, 164295219, 90796558359)
# expect: (([166.33333, 166.33333, 166.0], [755, 775, 38]), ([166.4, 166.4, 166.0], [755, 775, 38]), 82.666664, 50.56667, 108779, 2491)
# expect: (([416.33334, 416.33334, 416.0], [591, 755, 38]), ([416.2, 416.2, 416.0], [591, 755, 38]), 205.16666, 126.0, 683875, 6242)
# expect: (-2178.0, -562.0, 16121431) (-5776.0, -2318.0, 53080741666)
# expect: 499490 756924188
# expect: (276.0, 49.0, [-11, 13, 23])
# expect: (-332349.0, 19.0, [-48, -48, -47])
# expect: (267305, [448, 448]) (5666879543, [12, 12])
