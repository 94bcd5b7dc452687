# devices: 4
fn f(x) {
    assert(x < 2.0, "x is {x}")
    x
}
print(pmap(f, devices=(devices()[3], devices()[1], devices()[2]))(arange(3.0)))

# error: PM0503 "assert(x < 2.0, "x is {x}")"
# message: x is 2.0 (2.0 < 2.0)
# note: on device 2
