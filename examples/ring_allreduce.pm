# Ring all-reduce: psum as messages to one neighbour. Each of n devices holds a vector, cut into n pieces. In n - 1
# iterations every piece travels round the ring, and each device adds its part (reduce-scatter). In n - 1 more iterations
# the sums travel round the ring (all-gather). A device sends 2 (n - 1) / n of a vector, for any number of devices.

let n = 8
let ring = ((i, (i + 1) % n) for i in tuple(0..n))
fn pass_on(x) = ppermute(x, "ring", ring)

## Every device's pieces f32[n, m] -> the complete sum of piece number axis_index + 1.
fn reduce_scatter(pieces) {
    let me = axis_index("ring")
    mut part = pieces[me]
    for step in 1..n { part = pass_on(part) + pieces[(me - step) % n] }
    part
}

## Piece number axis_index + 1 of each device f32[m] -> all pieces f32[n, m], in order.
fn gather(piece) {
    let me = axis_index("ring")
    mut piece = piece
    mut all = zeros((n, len(piece))) with [(me + 1) % n] = piece
    for step in 0..n - 1 {
        piece = pass_on(piece)
        all[(me - step) % n] = piece
    }
    all
}

fn ring_sum(x) = gather(reduce_scatter(x.reshape(n, -1))).reshape(len(x))

# Sums of integers are exact in every order, so that ring and psum must agree in every bit.
let x = f32(random.randint(random.key(0), (n, 64), -100, 100))
let (ours, theirs) = pmap(fn(x) = (ring_sum(x), psum(x, "ring")), axis_name="ring")(x)
assert(array_equal(ours, theirs), "the ring gives another sum than psum")
print("the first device: {ours[0, :8]} ...")
print("equal to psum on every device: {array_equal(ours, theirs)}")

# Messages have derivatives: a cotangent travels round the ring in the opposite direction.
fn loss(sum_over, x) = sum(pmap(fn(x) = sum(sum_over(x) ** 2), axis_name="ring")(x))
let slope = grad(fn(x) = loss(ring_sum, x))(x)
assert(
    array_equal(slope, grad(fn(x) = loss(fn(x) = psum(x, "ring"), x))(x)),
    "other slopes than psum's",
)
print("equal slopes: {array_equal(slope, 2 * n * theirs)}")
