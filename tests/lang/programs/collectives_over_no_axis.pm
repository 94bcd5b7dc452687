# A collective over no axis uses only the value of its own device.
# devices: 1 2
for map in (pmap, vmap) {
    print(map(fn(x) = (psum(x, ()), pmean(x, ()), pmax(x, ()), psum(1, ()), axis_size(()), psum(x > 0, ())), axis_name="i")(arange(2.0)))
}
# expect: ([0, 1], [0, 1], [0, 1], [1, 1], [1, 1], [0, 1])
# expect: ([0, 1], [0, 1], [0, 1], [1, 1], [1, 1], [0, 1])
