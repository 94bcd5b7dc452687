# The derivative of a loop of unknown trip count is two kernels. The first copies the residuals of each iteration to the
# tape, and the second reads them. Each kernel exits at the end of its window of the tape, and is resumed there.
fn until(x) {
    mut y = x
    while sum(y) < 1000 { y = y + y * x }
    sum(y)
}
grad(until)(ones(2000))
