# Control: where an iteration is so small that starting it is what it costs.
import "../../pm/timing.pm" as timing
import "sizes.pm" as sizes

let iterations = sizes.scaled(100_000, 10)
fn tiny(x) = x - 0.001 * (x * x * x - x + 0.1)
let carried = jit(fn(x) {
    let (last, _) = scan(fn(x, _) = (tiny(x), none), x, none, length=iterations)
    last
})
let start = arange(4.0)
timing.steady("scan of {iterations} tiny steps", fn() = carried(start), 7)

fn halve_until(x, small) {
    mut x = x
    mut n = 0
    while max(x) > small {
        x = 0.999 * x
        n += 1
    }
    (x, n)
}
let searched = jit(halve_until)
let small = if iterations > 1000 { 1e-3 } else { 0.99 }
let width = sizes.scaled(65536, 16)
let large = ones(width)
let (_, needed) = searched(large, small)
timing.steady(
    "while over {width} f32 until its greatest is small, {needed} iterations",
    fn() = searched(large, small),
    7,
)

let n = sizes.scaled(4096, 16)
let steps = sizes.scaled(20, 2)
fn pull(x) {
    let d = x[none] - x[:, none]
    let r2 = sum(d * d, axis=-1) + 0.0025
    sum(d / (r2 * sqrt(r2))[..., none], axis=1) / n
}
let move = jit(fn(x, v) {
    mut x = x
    mut v = v
    for _ in 0..steps {
        v += 0.01 * pull(x)
        x += 0.01 * v
    }
    (x, v)
})
let (x, v) = (random.normal(random.key(1), (n, 3)), zeros((n, 3)))
timing.steady("{n} bodies, {steps} steps", fn() = move(x, v), 7)

let (points, centres) = (sizes.scaled(262144, 64), sizes.scaled(64, 4))
let moves = sizes.scaled(10, 2)
fn move_centres(centres, points) {
    let k = len(centres)
    let distance =
        sum(points ** 2, axis=1)[:, none] - 2 * (points @ centres.T) + sum(centres ** 2, axis=1)
    let group = argmin(distance, axis=1)
    let count = segment_sum(ones(len(points)), group, num_segments=k)
    segment_sum(points, group, num_segments=k) / maximum(count, 1)[:, none]
}
let kmeans = jit(fn(centres, points) {
    mut centres = centres
    for _ in 0..moves { centres = move_centres(centres, points) }
    centres
})
let p = random.normal(random.key(2), (points, 16))
let first = p[:centres]
timing.steady(
    "k-means, {points} points of 16 numbers, {centres} centres, {moves} iterations",
    fn() = kmeans(first, p),
    7,
)
