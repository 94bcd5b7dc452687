# devices: 2
# In a pmap, the buffers of a loop's condition stay allocated until all operations of the condition are done, including the checks that each device runs separately.
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
