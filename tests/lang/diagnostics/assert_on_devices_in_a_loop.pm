# The message names the device even if the pmap is in a loop of compiled code. Slices 4 to 7 of eight are on device 1 of two.
# devices: 2
fn turn(x) {
    mut t = x
    for k in 0..3 {
        t = t + pmean(x, "i")
        assert(t < 80.0, "t is {t}")
        t = t - pmin(x, "i")
    }
    t
}
let turns = jit(fn(x) {
    mut y = x
    for n in 0..5 { y = pmap(turn, axis_name="i")(y) }
    y
})
print(turns([0.0, 1.0, 2.0, 1.0, 1.0, 64.0, 0.0, 3.0]))

# error: PM0503 "assert(t < 80.0, "t is {t}")"
# message: t is 82.0 (82.0 < 80.0)
# note: on device 1
# note: in iteration 1 of `for k in 0..3`
# note: in iteration 0 of `for n in 0..5`
# note: through `jit(fn)`
