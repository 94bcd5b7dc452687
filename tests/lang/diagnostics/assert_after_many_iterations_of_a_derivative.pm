# A loop that records residuals exits and is resumed (docs/gpu/loops.md) before a check in it fails.
fn f(x, most) {
    mut y = x
    mut i = 0
    while i < 300 {
        assert(i < most, "turn {i}: {y}")
        mut j = 0
        while j < i % 3 {
            y = y * 0.5 + sqrt(1 + y * y) * 0.5
            j += 1
        }
        y = y * 0.5
        i += 1
    }
    y
}
print(abs(grad(f)(2.0, 300)) < 1e-6)
print(grad(f)(2.0, 257))

# expect: true
# error: PM0503 "assert(i < most, "turn {i}: {y}")"
# message: turn 257: 0.31606236 (257 < 257)
# note: through `grad(f)`
