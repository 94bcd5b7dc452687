# The slope of a loop of unknown count is two kernels: what the first keeps of each turn is copied to its tape, and the
# second copies it back. Either is left where its window of the tape ends, and goes on there.
fn until(x) {
    mut y = x
    while sum(y) < 1000 { y = y + y * x }
    sum(y)
}
grad(until)(ones(2000))
