# Sums of many elements by all blocks of a kernel that is a loop: its threads synchronise between shared steps.
fn descend(x) {
    mut x = x
    for i in 0..10 {
        x = x - mean(x)
    }
    x
}
descend(zeros(1000000))
