# A loop that looks at indices is one kernel, which notes the first that is out of range and is left.
fn path(next, n) {
    mut at = 0
    mut sum = 0.0
    for i in 0..n { at = next[at]; sum += f32(at) / f32(i + 1) }
    sum
}
path([1, 2, 0], 100)
