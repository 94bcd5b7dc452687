# devices: 2
fn f(x) {
    assert(x > 0.5, "x is {x}")
    x
}
print(pmap(f)([1.0, 0.0]))

# error: PM0503 "assert(x > 0.5, "x is {x}")"
# message: x is 0.0 (0.0 > 0.5)
# note: on device 1
