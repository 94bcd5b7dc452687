# The last device works on slices 3 and 4; 3 is the one before's too, which says what is wrong with it.
# devices: 3
fn f(x) {
    assert(x != 3.0, "x is {x}")
    x
}
print(pmap(f, uneven=true)(arange(5.0)))

# error: PM0503 "assert(x != 3.0, "x is {x}")"
# message: x is 3.0 (3.0 != 3.0)
# note: on device 1
