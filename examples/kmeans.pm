# k-means finds three centres from 600 points around them. An iteration assigns points to the nearest centre and moves each centre to
# the mean of its points (segment_sum). A compiled `while`, whose trip count depends on the data, runs until no centre moves. At the
# end the points are split over devices: psum adds up the sums and counts of each group, so that all devices compute equal centres.

fn nearest(centres, points) {
    let distance = vmap(fn(p) = sum((centres - p) ** 2, axis=1))(points)
    argmin(distance, axis=1)
}

## `total` turns a sum over this device's points into the sum over all points.
fn move_centres(centres, points, total) {
    let group = nearest(centres, points)
    let k = len(centres)
    let count = total(segment_sum(ones(len(points)), group, num_segments=k))
    total(segment_sum(points, group, num_segments=k)) / maximum(count, 1)[:, none]
}

fn kmeans(start, points, total=fn(a) = a) {
    mut centres = start
    mut moved = inf
    mut iterations = 0
    while moved > 1e-4 and iterations < 100 {
        let next = move_centres(centres, points, total)
        moved = max(abs(next - centres))
        centres = next
        iterations += 1
    }
    (centres, iterations)
}

let (k_noise, k_start) = random.split(random.key(7))
let true_centres = [[0.0, 4.0], [-3.0, -2.0], [3.5, -1.0]]
let points = (true_centres[:, none, :] + 0.8 * random.normal(k_noise, (3, 200, 2))).reshape(600, 2)

# Twenty starts at once: vmap over the whole algorithm. The best has the smallest sum of squared distances.
fn spread(centres) = sum(min(vmap(fn(c) = sum((points - c) ** 2, axis=1))(centres), axis=0))
let starts =
    vmap(fn(key) = random.choice(key, points, (3,), replace=false))(random.split(k_start, 20))
let (centres, iterations) = vmap(kmeans, in_axes=(0, none))(starts, points)
let best = centres[argmin(vmap(spread)(centres))]
print("turns of each start: {iterations}")
print("centres, from the left:")
for c in best[argsort(best[:, 0])] { print("  {c:.2f}") }

# The same over shards of the points. All devices leave the loop together: its condition, `moved`, comes from sums that
# psum made equal. (If `moved` could differ between devices, the psum in the loop would be refused before the run.)
let shards = pmap(
    fn(start, points) = kmeans(start, points, total=fn(a) = psum(a, "points")),
    axis_name="points",
    in_axes=(none, 0),
    out_axes=none,
    axis_size=8,
    tiled=true,
)
let slowest = argmax(iterations)
let (found, needed) = shards(starts[slowest], points)
assert(allclose(found, centres[slowest], atol=1e-4), "the shards find other centres")
print("8 shards of {len(points) // 8} points: from the slowest start the same centres in {needed} turns")
