# A check of compiled code names the calls that led to it, through loops, branches, derivatives and lanes.
fn reciprocal(x) {
    assert(x != 0, "{x} has no reciprocal")
    1 / x
}
fn harmonic(xs) {
    mut sum = 0.0
    for i in 0..len(xs) {
        if xs[i] < 100 { sum += reciprocal(xs[i]) }
    }
    sum
}
fn loss(xs) = harmonic(xs) + harmonic(xs - 2)
let values = vmap(value_and_grad(loss))
values(array([[3.0, 4.0, 5.0], [6.0, 7.0, 2.0]]))

# error: PM0503 "assert(x != 0, "{x} has no reciprocal")"
# message: 0.0 has no reciprocal (0.0 != 0)
# calls: 9:33 13:30 15:1
# note: at element 1 of the mapped axis
# note: in iteration 2 of `for i in 0..len(xs)`
