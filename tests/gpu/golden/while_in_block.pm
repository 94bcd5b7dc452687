# A while whose steps one block does: a kernel that walks through condition and body until it is done.
fn settle(x) {
    mut (x, n) = (x, 0)
    while sum(x) > 1.0 { (x, n) = (x * 0.5, n + 1) }
    (x, n)
}
settle(zeros(100))
