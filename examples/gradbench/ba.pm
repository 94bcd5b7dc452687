# Bundle adjustment: p observations, each of one of m points by one of n cameras. A camera is eleven numbers: rotation (3), centre (3),
# focal length, principal point (2), radial distortion (2). `objective` returns the residuals, `jacobian` their derivatives as a sparse
# matrix. An observation depends only on its own camera, point and weight, so that each of its 2 rows holds 15 numbers.

fn dot((a, b, c), (x, y, z)) = a * x + b * y + c * z
fn cross((a, b, c), (x, y, z)) = (b * z - c * y, c * x - a * z, a * y - b * x)

## The point x rotated about the axis r by the angle |r|, by the formula of Rodrigues.
fn rotate(r, x) {
    let square = dot(r, r)
    if square == 0 { return tree_map(add, x, cross(r, x)) }
    let angle = sqrt(square)
    let axis = tree_map(fn(a) = a / angle, r)
    let along = dot(axis, x) * (1 - cos(angle))
    tree_map(fn(x, c, a) = x * cos(angle) + c * sin(angle) + a * along, x, cross(axis, x), axis)
}

## The position of a point in the image of a camera.
fn project((r1, r2, r3, c1, c2, c3, focal, u0, v0, k1, k2), (x, y, z)) {
    let (x, y, z) = rotate((r1, r2, r3), (x - c1, y - c2, z - c3))
    let (u, v) = (x / z, y / z)
    let square = u * u + v * v
    let scale = focal * (1 + k1 * square + k2 * square * square)
    (u * scale + u0, v * scale + v0)
}

fn residual(camera, point, weight, feature) {
    let (u, v) = project(camera, point)
    weight * (stack((u, v)) - feature)
}
fn weight_residual(weight) = 1 - weight ** 2

## The benchmark's files hold one camera, point, weight and feature; the problem has n, m, p and p copies of them.
fn prepare({n, m, p, cam, x, w, feat}) = {
    cameras: tile(cam, (n, 1)),
    points: tile(x, (m, 1)),
    weights: full(p, w),
    features: tile(feat, (p, 1)),
    seen_by: i32(arange(p) % n),
    seen: i32(arange(p) % m),
}

fn objective({cameras, points, weights, features, seen_by, seen}) = (
    vmap(residual)(cameras[seen_by], points[seen], weights, features),
    vmap(weight_residual)(weights),
)

## The matrix by rows: two rows for each observation, then one for each weight. Row i has the columns and values rows[i] .. rows[i + 1].
fn jacobian({cameras, points, weights, features, seen_by, seen}) {
    let (n, m, p) = (len(cameras), len(points), len(weights))
    let camera = tuple(cameras[seen_by].T)
    let point = tuple(points[seen].T)
    let block = vmap(jacrev(residual, argnums=(0, 1, 2)))(camera, point, weights, features)
    let weight_column = 11 * n + 3 * m + arange(p)
    let columns = concatenate(
        (
            11 * seen_by[:, none] + arange(11),
            11 * n + 3 * seen[:, none] + arange(3),
            weight_column[:, none],
        ),
        axis=1,
    )
    let values = moveaxis(stack(tree_leaves(block)), 0, 2)
    {
        rows: concatenate((15 * arange(2 * p), 30 * p + arange(p + 1))),
        cols: concatenate((repeat(columns, 2, axis=0).ravel(), weight_column)),
        vals: concatenate((values.ravel(), vmap(grad(weight_residual))(weights))),
    }
}

# All copies are equal, so that the reports have only a few of them.
fn report_objective((residuals, weights)) = {
    reproj_error: {elements: residuals[0], repeated: len(residuals)},
    w_err: {element: weights[0], repeated: len(weights)},
}
fn report_jacobian(matrix) = tree_map(fn(x) = concatenate((x[:30], x[-1:])), matrix)
