# A loop as one kernel: all its blocks compute sums of many elements, and its threads synchronise between these steps.
fn descend(x) {
    mut x = x
    for i in 0..10 {
        x = x - mean(x)
    }
    x
}
descend(zeros(1000000))
