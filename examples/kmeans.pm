# k-means: 600 points around three centres, found again. One turn gives every point to its nearest centre and moves each centre to the
# mean of its points (segment_sum); a `while` runs until nothing moves, compiled, with a trip count that the data decides.

fn nearest(centres, points) {
    let distance = vmap(fn(p) = sum((centres - p) ** 2, axis=1))(points)
    argmin(distance, axis=1)
}

fn move_centres(centres, points) {
    let group = nearest(centres, points)
    let k = len(centres)
    let count = segment_sum(ones(len(points)), group, num_segments=k)
    segment_sum(points, group, num_segments=k) / maximum(count, 1)[:, none]
}

fn kmeans(start, points) {
    mut centres = start
    mut moved = inf
    mut turns = 0
    while moved > 1e-4 and turns < 100 {
        let next = move_centres(centres, points)
        moved = max(abs(next - centres))
        centres = next
        turns += 1
    }
    (centres, turns)
}

let (k_noise, k_start) = random.split(random.key(7))
let true_centres = [[0.0, 4.0], [-3.0, -2.0], [3.5, -1.0]]
let points = (true_centres[:, none, :] + 0.8 * random.normal(k_noise, (3, 200, 2))).reshape(600, 2)

# Twenty starts at once: vmap over the whole algorithm. The best is the one whose points lie nearest.
fn spread(centres) = sum(min(vmap(fn(c) = sum((points - c) ** 2, axis=1))(centres), axis=0))
let starts =
    vmap(fn(key) = random.choice(key, points, (3,), replace=false))(random.split(k_start, 20))
let (centres, turns) = vmap(kmeans, in_axes=(0, none))(starts, points)
let best = centres[argmin(vmap(spread)(centres))]
print("turns of each start: {turns}")
print("centres, from the left:")
for c in best[argsort(best[:, 0])] { print("  {c:.2f}") }
