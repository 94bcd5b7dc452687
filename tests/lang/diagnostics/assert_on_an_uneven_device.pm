# The last device computes slices 3 and 4. The previous device computes slice 3 too, and reports its failure.
# devices: 3
fn f(x) {
    assert(x != 3.0, "x is {x}")
    x
}
print(pmap(f, uneven=true)(arange(5.0)))

# error: PM0503 "assert(x != 3.0, "x is {x}")"
# message: x is 3.0 (3.0 != 3.0)
# note: on device 1
