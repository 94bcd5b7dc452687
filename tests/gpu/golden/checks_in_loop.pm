# A loop that checks indices is one kernel. It records the first index that is out of range and exits.
fn path(next, n) {
    mut at = 0
    mut sum = 0.0
    for i in 0..n { at = next[at]; sum += f32(at) / f32(i + 1) }
    sum
}
path([1, 2, 0], 100)
