# The derivative of a loop of unknown trip count is two kernels. The first copies the residuals of each iteration to its
# tape, and the second reads them back. Each kernel exits where its window of the tape ends, and is resumed there.
fn until(x) {
    mut y = x
    while sum(y) < 1000 { y = y + y * x }
    sum(y)
}
grad(until)(ones(2000))
