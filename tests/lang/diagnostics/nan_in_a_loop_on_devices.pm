# options: --check-nans
# devices: 2
fn settle(x) {
    mut y = x
    for i in 0..5 { y = pmean(y * y, "i") - y * y }
    y
}
print(pmap(settle, axis_name="i")([1e30, 2.0]))

# error: PM0505 "pmean(y * y, "i") - y * y"
# message: `-` makes a NaN: inf - inf
# note: on device 0
# note: through `pmap(settle)`
