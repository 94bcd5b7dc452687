# Updates with an index of a mask, numbers and slices: equal results if the mask is known (at the top level) or computed.
fn set(y, m, i) {
    mut a = y
    mut b = y
    mut c = y
    mut d = y
    a[0, m[0]] = 1
    b[i, m[1]] += 10
    c[m[:, 0], i] = -1
    d[1:, m[0]] *= 2
    (a, b, c, d)
}
let y = arange(12).reshape(3, 4)
let m = y % 3 == 0
print(set(y, m, 2))

# The value of the update must have the sizes of the axes of the mask and of the other axes.
fn rows(y, m, v) = y with [:, m, 0:2] = v with [m, 1] += 100 with [m, ::-1] min= 90
let z = arange(18).reshape(3, 3, 2)
print(rows(z, [true, false, true], [[-1, -2]]))
# If a slice is between the number and the mask, the axis of the mask is first, as in NumPy.
fn apart(z, m, v) = z with [0, :, m] = v
fn apart_known(z, v) = z with [0, :, [false, true]] = v
print(
    apart(z, [false, true], [[7, 8, 9]])[0],
    all(apart(z, [false, true], [7, 8, 9]) == apart_known(z, [7, 8, 9])),
)
# Masks of two axes; all other forms of update; an update of a window.
fn many(z, m, s) {
    mut z = z
    z[1, m] -= 1
    z[1, m] max= 9
    z[s:+2, m] //= 2
    z[s, m] **= 2
    z[0, m] %= 3
    z
}
print(many(z, z[0] > 1, 1))
print(grad(fn(x) = sum((x with [1, x[0] > 0] *= 3) ** 2))([[1.0, -1.0], [2.0, 2.0]]))
print(vmap(fn(x, i) = x with [i, x[0] > 0] = 0)(ones((2, 2, 2)), [0, 1]))
# Elements for which the mask is false are unchanged, and no check of them fails.
fn divided(z, m) {
    mut z = z
    z[0, m] //= 0
    z
}
print(divided(z[:, :, 0], z[0, :, 0] > 99)[0])
# Reads by a mask, at the top level.
print(
    y[0, [true, false, true, false]],
    y[m[:, 0], 1],
    y[:, m[0]],
    y[1:, y[0] > 1],
    y[m[:, 0], -1],
    y[0:1, m[1]],
)
# expect: ([[1, 1, 2, 1], [4, 5, 6, 7], [8, 9, 10, 11]], [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 20, 11]], [[0, 1, -1, 3], [4, 5, 6, 7], [8, 9, 10, 11]], [[0, 1, 2, 3], [8, 5, 6, 14], [16, 9, 10, 22]])
# expect: [[[-1, -2], [90, 90], [-1, -2]], [[-1, -2], [8, 9], [-1, -2]], [[-1, -2], [90, 90], [-1, -2]]]
# expect: [[0, 7], [2, 8], [4, 9]] true
# expect: [[[0, 1], [2, 0], [1, 2]], [[6, 7], [16, 16], [16, 25]], [[12, 13], [7, 7], [8, 8]]]
# expect: [[2, -2], [36, 4]]
# expect: [[[0, 0], [1, 1]], [[1, 1], [0, 0]]]
# expect: [0, 2, 4]
# expect: [0, 2] [1] [[0, 3], [4, 7], [8, 11]] [[6, 7], [10, 11]] [3] [[2]]
