# k-means as Newton's method sees it: `cost` is the sum of every point's squared distance to its nearest centroid, `dir` the direction of
# a step. The Hessian of the cost is diagonal, so its product with ones is that diagonal: one forward derivative of the gradient.

fn spread(centroids, points) = sum(vmap(fn(p) = min(sum((centroids - p) ** 2, axis=1)))(points))

fn cost({points, centroids}) = spread(centroids, points)

fn dir({points, centroids}) {
    let gradient = fn(c) = grad(spread)(c, points)
    let (slope, curvature) = jvp(gradient, (centroids,), (ones_like(centroids),))
    slope / curvature
}
