# options: --check-nans
# devices: 2
fn step(x) {
    let shifted = x - 3
    psum(sqrt(shifted), "i")
}
print(pmap(step, axis_name="i")([4.0, 1.0]))

# error: PM0505 "shifted"
# message: `sqrt` makes a NaN: sqrt(-2.0)
# note: on device 1
# note: through `pmap(step)`
# help: `where` around it computes it for all elements: choose the argument inside of it, sqrt(where(ok, x, 1))
