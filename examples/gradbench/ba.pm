# Bundle adjustment: p observations, each of one of m points by one of n cameras. A camera is (rotation of 3, centre of 3, focal length, principal
# point of 2, radial distortion of 2). `objective` gives the residuals, `jacobian` their sparse matrix of derivatives: an observation touches its
# camera, its point and its weight alone, so that its 2 rows hold 15 numbers each.

fn cross((a, b, c), (x, y, z)) = stack((b * z - c * y, c * x - a * z, a * y - b * x))

## x turned about the axis r by the angle |r|.
fn rotate(r, x) {
    let square = sum(r ** 2)
    if square == 0 { return x + cross(r, x) }
    let angle = sqrt(square)
    let axis = r / angle
    x * cos(angle) + cross(axis, x) * sin(angle) + axis * (sum(axis * x) * (1 - cos(angle)))
}

fn project(camera, x) {
    let seen = rotate(camera[:3], x - camera[3:6])
    let plane = seen[:2] / seen[2]
    let r2 = sum(plane ** 2)
    plane * (1 + camera[9] * r2 + camera[10] * r2 ** 2) * camera[6] + camera[7:9]
}

fn residual(camera, x, weight, feature) = weight * (project(camera, x) - feature)
fn weight_residual(weight) = 1 - weight ** 2

## The benchmark's files hold one camera, point, weight and feature; the problem has n, m, p and p copies of them.
fn prepare({n, m, p, cam, x, w, feat}) = {
    cameras: tile(cam, (n, 1)),
    points: tile(x, (m, 1)),
    weights: full(p, w),
    features: tile(feat, (p, 1)),
    camera: arange(p) % n,
    point: arange(p) % m,
}

fn objective({cameras, points, weights, features, camera, point}) = (
    vmap(residual)(cameras[camera], points[point], weights, features),
    vmap(weight_residual)(weights),
)

## The matrix row by row, the two rows of each observation first, then those of the weights: row i has the values and columns
## rows[i] .. rows[i + 1].
fn jacobian({cameras, points, weights, features, camera, point}) {
    let (n, m, p) = (len(cameras), len(points), len(weights))
    let derivatives = jacrev(residual, argnums=(0, 1, 2))
    let (by_camera, by_point, by_weight) =
        vmap(derivatives)(cameras[camera], points[point], weights, features)
    let blocks = concatenate((by_camera, by_point, by_weight[:, :, none]), axis=2)
    let weight_column = 11 * n + 3 * m + arange(p)
    let columns = concatenate(
        (
            11 * camera[:, none] + arange(11),
            11 * n + 3 * point[:, none] + arange(3),
            weight_column[:, none],
        ),
        axis=1,
    )
    {
        rows: concatenate((15 * arange(2 * p), 30 * p + arange(p + 1))),
        cols: concatenate((repeat(columns, 2, axis=0).ravel(), weight_column)),
        vals: concatenate((blocks.ravel(), vmap(grad(weight_residual))(weights))),
    }
}

# What goes back: all copies are alike.
fn report_objective((residuals, weights)) = {
    reproj_error: {elements: residuals[0], repeated: len(residuals)},
    w_err: {element: weights[0], repeated: len(weights)},
}
fn report_jacobian(matrix) = tree_map(fn(x) = concatenate((x[:30], x[-1:])), matrix)
