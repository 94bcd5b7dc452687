# A while whose steps run in one block: one kernel repeats condition and body until the condition is false.
fn settle(x) {
    mut (x, n) = (x, 0)
    while sum(x) > 1.0 { (x, n) = (x * 0.5, n + 1) }
    (x, n)
}
settle(zeros(100))
