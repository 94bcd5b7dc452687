# A failed check in nested loops stops all of them. The message shows the values at the check, although the rest of the
# iteration changes them.
fn walk(next, start, n) {
    mut at = start
    mut steps = 0
    while at != 0 {
        for k in 0..n {
            at = next[at + k]
            assert(steps < 50, "{steps} steps, at {at}")
            steps += 1
        }
    }
    steps
}
print(walk([0, 0, 1, 2], 3, 1))
print(walk([1, 2, 3, 1], 1, 2))

# expect: 3
# error: PM0503 "assert(steps < 50, "{steps} steps, at {at}")"
# message: 50 steps, at 2 (50 < 50)
