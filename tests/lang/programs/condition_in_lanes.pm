# devices: 2
# A loop's condition in a pmap stays in memory until all its operations are done, including checks of single devices.
fn keep(y, v) {
    assert(all(y * v < 1e9), "big")
    sum(v) > 10.0
}
fn step(x) {
    mut y = x
    mut i = 0
    while keep(y, psum(y * 2.0, "i")) {
        y = y * 0.5
        i += 1
    }
    (y, i)
}
let (y, i) = pmap(step, axis_name="i")(ones((2, 20)) * 3.0)
print(i, sum(y))

# expect: [5, 5] 3.75
