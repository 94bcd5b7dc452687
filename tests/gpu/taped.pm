# The slope of a loop of unknown count: what it keeps of each turn is copied to its tape, and back.
fn until(x) {
    mut y = x
    while sum(y) < 1000 { y = y + y * x }
    sum(y)
}
grad(until)(ones(2000))
