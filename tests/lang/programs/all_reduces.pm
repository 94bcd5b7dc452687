# Sums, means, maxima and minima of megabytes over devices. If each lane has a separate GPU, a library combines the
# numbers. The results do not depend on the order of the additions.
# devices: 1 2 3
let n = 300_000
let rows = i32(arange(6 * n) % 1001).reshape(6, n) - 500

# Each device returns the result; then one result, equal on all devices, is returned once.
fn sums(row) = (psum(row, "i"), psum(row[:1000], "i"))
let (large, small) = pmap(sums, axis_name="i")(f32(rows))
print(large[:, 7], small[5, :4], array_equal(large[0], large[5]))
let mean = pmap(fn(row) = pmean(row, "i"), axis_name="i", out_axes=none)(f32(rows))
print(mean[6:9], all(abs(mean - sum(f32(rows), axis=0) / 6) < 1e-3))

# Integers; then maximum and minimum, which are NaN if an operand is NaN.
print(pmap(fn(row) = psum(row, "i"), axis_name="i", out_axes=none)(rows)[:3])
print(
    pmap(fn(row) = pmax(row, "i") - pmin(row, "i"), axis_name="i", out_axes=none)(rows)[1000:1003],
)
mut holed = f32(rows)
holed[4, 1001] = nan
print(pmap(fn(row) = pmax(row, "i"), axis_name="i", out_axes=none)(holed)[1000:1003])

# Halves are added in f32, and the sum is rounded once.
let halves = pmap(fn(row) = psum(row, "i"), axis_name="i", out_axes=none)(f16(rows % 7))
print(halves.dtype, halves[:4])

# Steps of a gradient descent on the devices, in a loop. Each step uses the gradients of all devices.
fn descend(w, row) {
    mut v = w
    for k in range(4) {
        let slope = grad(fn(v) = sum(v * row))(v)
        v = v - psum(slope, "i") / 2
    }
    v
}
let w = pmap(descend, axis_name="i", in_axes=(none, 0), out_axes=none)(zeros(n), f32(rows))
print(w[:3], w[n - 1])

# expect: [-451, -451, -451, -451, -451, -451] [-493, -487, -481, -475] true
# expect: [-76.166664, -75.166664, -74.166664] true
# expect: [-493, -487, -481]
# expect: [900, 802, 802]
# expect: [500.0, nan, 303.0]
# expect: f16 [18, 17, 16, 15]
# expect: [986, 974, 962] 594.0
