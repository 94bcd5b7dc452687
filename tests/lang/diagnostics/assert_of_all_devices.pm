# In a branch that all devices take, a check of a value that is equal on all devices fails on all of them.
# devices: 4
fn f(x) {
    let total = psum(x, "i")
    if total > 3.0 { assert(total < 6.0, "the total is {total}") }
    x / total
}
print(pmap(f, axis_name="i")(arange(4.0)))

# error: PM0503 "assert(total < 6.0, "the total is {total}")"
# message: the total is 6.0 (6.0 < 6.0)
# note: on device 0
# note: through `pmap(f)`
