# A GPU may add the updates in any order. All sums and products here are exact, so all orders have equal results.
fn scattered(n, seed) =
    (arange(n, dtype=u32) * 2654435761 + seed * 40503) ^ (
        (arange(n, dtype=u32) + seed) * 2246822519 >> 7
    )
fn places(n, seed, count) = i32(scattered(n, seed) >> 5) % count
fn digest(x) = sum(f64(x) * (1.0 + f64(arange(x.shape[0])) * 0.5))

fn of_type(like, n, largest) {
    let i = places(n, 3, 37)
    let v = (places(n, 5, 2 * largest) - largest).astype(like.dtype)
    let twos = 2.0 ** f32(places(n, 7, 3) - 1)
    let sparse = where(places(n, 11, 40) == 0, twos, 1.0).astype(like.dtype)
    let x = tile(like, 37)
    (
        digest(x with [i] += v),
        digest(x with [i] *= sparse),
        digest(x with [i] max= v),
        digest(x with [i] min= v),
    )
}
let likes = (ones(1), ones(1).astype(f64), ones(1).astype(f16), ones(1).astype(bf16))
for n in [300, 1000] {
    for like in likes { print(of_type(like, n, 2)) }
}
print(of_type(ones(1), 5000, 1000), of_type(ones(1).astype(f64), 5000, 100000))

# All updates to one index; updates of rows; gradients of elements that are read several times.
print(zeros(3) with [zeros(4000, dtype=i32)] += ones(4000))
let many = zeros((5, 7)) with [places(900, 13, 5)] += f32(places(6300, 17, 64)).reshape(900, 7)
print(digest(many.reshape(-1)))
fn loss(x) = sum(x[places(3000, 19, 50)] * f32(places(3000, 23, 16)))
print(digest(grad(loss)(zeros(50))))

# The maximum and minimum of zeros and NaNs do not depend on the order.
let zero = array([0.0, -0.0, 0.0, -0.0])
print(-ones(2) with [[0, 0, 1, 1]] max= zero, ones(2) with [[0, 0, 1, 1]] min= zero)
print(zeros(2) with [[0, 1, 0, 1]] max= array([nan, 1.0, 2.0, nan]))
fn in_a_loop(n) {
    mut x = zeros(10)
    for t in range(5) { x = x with [places(n, 29, 10)] += f32(t) }
    digest(x)
}
print(in_a_loop(40), in_a_loop(400))
# expect: (-881.5, 396.25, 370.0, -706.0)
# expect: (-881.5, 396.25, 370.0, -706.0)
# expect: (-881.5, 396.25, 370.0, -706.0)
# expect: (-881.5, 396.25, 370.0, -706.0)
# expect: (-4613.5, 489.75, 370.0, -740.0)
# expect: (-4613.5, 489.75, 370.0, -740.0)
# expect: (-4613.5, 489.75, 370.0, -740.0)
# expect: (-4613.5, 489.75, 370.0, -740.0)
# expect: (-168857.5, 1303.5, 363512.5, -365999.0) (-49239357.5, 1303.5, 36426165.0, -36609048.0)
# expect: [4000, 0, 0]
# expect: 1890624.5
# expect: 304139.0
# expect: [0, 0] [-0, -0]
# expect: [nan, nan]
# expect: 1250.0 12950.0
