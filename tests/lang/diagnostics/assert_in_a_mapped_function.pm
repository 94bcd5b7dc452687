# If a function of the program fails while the library calls it, the message has the line of that function.
fn small(v) {
    assert(v > 0.0)
    assert(v < 1.5, "too large")
    v
}
print(scan(fn(c, v) = (c + small(v), v), 0.0, [0.5, 1.0]))
print(map(small, [1.0, 2.0]))

# expect: (1.5, [0.5, 1.0])
# error: PM0503 "assert(v < 1.5, "too large")"
# message: too large (2.0 < 1.5)
