# Arrays of some megabytes, distributed over several GPUs. The numbers do not depend on the number of GPUs.
# devices: 1 3 4 8
let rows = 24
let wide = 2 ** 15
let batch = f32(arange(rows * wide) % 7).reshape(rows, wide)

# Results stay on their device until the next call; data that all devices read is copied to each device.
let weights = f32(arange(wide) % 5)
let scaled = pmap(fn(row) = row * weights)(batch)
let shifted = pmap(fn(row, by) = row + by, in_axes=(0, none))(scaled, 3.0)
print(sum(i64(shifted)), shifted[0, 8], shifted[23, wide - 1])

# The host changes a part of an array, a device changes another part, and then all parts are read together.
mut parts = shifted
parts[5, 7] = 100.0
let sums = pmap(fn(row) = (max(row), psum(max(row), "i")), axis_name="i")(parts)
print(i64(sums[0])[4:7], sums[1][23])

# Steps of gradient descent: the devices average gradients and update weights in place.
fn loss(w, row) = mean((row * w - row) ** 2)
fn step(w, row) = w - 0.03125 * pmean(grad(loss)(w, row), "i") * wide
let descend = jit(fn(w) = pmap(step, axis_name="i", in_axes=(none, 0), out_axes=none)(w, batch))
mut w = weights
for i in range(3) { w = descend(w) }
print(round(1000.0 * w[1:6]), w.dtype)

# Rows are sent from device to device, in large pieces and in small ones.
let turned = pmap(
    fn(row) = ppermute(row, "i", ((k, (k + 5) % rows) for k in tuple(0..rows))),
    axis_name="i",
)(batch)
print(array_equal(turned, roll(batch, 5, axis=0)))
let pieces = pmap(fn(row) = all_to_all(row, "i", 0, 0, tiled=true), axis_name="i")(batch[:, :48])
print(sum(i64(pieces)), i64(pieces[3, 20:26]))
let gathered = pmap(fn(row) = sum(all_gather(row, "i")[::5]), axis_name="i")(batch)
print(i64(gathered[0]), all(gathered == gathered[0]))

# In a lane: a loop on the host whose condition reads data of the device. Also loops on the device.
fn steps_to(limit, row) {
    mut (value, n) = (sum(row[:100]), 0)
    while value < limit {
        value = value + row[n] + row[n + 1]
        n = n + 1
    }
    (n, sort(row[:wide // 4])[::4096])
}
let (turns, sorted) =
    pmap(fn(row, limit) = steps_to(limit, row))(batch, 300.0 + 10.0 * f32(arange(rows)))
print(turns[::6], i64(sorted[7]))

# expect: 7077688 6.0 7.0
# expect: [27, 100, 27] 721.0
# expect: [1000, 1010, 1008, 1002, 998] f32
# expect: true
# expect: 3458 [2, 3, 3, 4, 4, 5]
# expect: 491520 true
# expect: [3, 12, 20, 29] [0, 3]
