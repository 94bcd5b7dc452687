# A function of the program that the library calls: the call of the library is among the calls.
fn step(carry, x) {
    assert(carry < 3, "the sum {carry} is too large")
    (carry + x, carry)
}
fn run(xs) = scan(step, 0.0, xs)
fn twice(xs) = run(xs).0 + run(xs + 1).0
twice(array([1.0, 1.0, 0.5, 0.0]))

# error: PM0503
# message: the sum 4.0 is too large (4.0 < 3)
# calls: 6:14 7:28 8:1
