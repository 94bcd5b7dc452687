# k-means by Newton's method: `cost` is the sum of the squared distances from n points to the nearest of k centroids, `dir` the direction of
# a step. The Hessian is diagonal, so its product with ones has all its entries: one forward derivative of the gradient.

## The index of the nearest centroid has no derivative; the distance has. |point|^2 does not change the index and is omitted.
fn spread(centroids: f64[k, d], points: f64[n, d]) {
    let nearest = argmin(sum(centroids ** 2, axis=1) - 2 * points @ centroids.T, axis=1)
    sum((centroids[nearest] - points) ** 2)
}

fn cost({points, centroids}) = spread(centroids, points)

fn dir({points, centroids}) {
    let gradient = fn(c) = grad(spread)(c, points)
    let (slope, curvature) = jvp(gradient, (centroids,), (ones_like(centroids),))
    slope / curvature
}
