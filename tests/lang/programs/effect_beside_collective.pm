# A condition is equal on all devices. One branch checks an index, the other branch sums over the devices.
# devices: 1 2
fn f(c, x) = if psum(x[0], "i") > 0.25 { x with [c] += 1.0 } else { psum(x, "i") }
print(pmap(f, axis_name="i")([0, 1], [[0.5, -1.0], [0.25, 1.5]]))
# expect: [[1.5, -1.0], [0.25, 2.5]]
fn g(c, x) = if psum(x[0], "i") > 2.5 { x with [c] += 1.0 } else { psum(x, "i") }
print(pmap(g, axis_name="i")([0, 1], [[0.5, -1.0], [0.25, 1.5]]))
# expect: [[0.75, 0.5], [0.75, 0.5]]
