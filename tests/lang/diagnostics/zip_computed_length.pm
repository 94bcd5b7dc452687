# The length of a range is computed; it becomes known because the loop must know it.
fn f(x, n) {
    mut s = 0.0
    for (i, v) in zip(0..n, x) {
        s += f32(i) * v
    }
    s
}
print(jit(f)(ones(3), 2))

# error: PM0202 "zip(0..n, x)"
# message: `zip` needs operands of one shape, but they are length 2 and length 3
# help: cut the longer one: `x[:2]`, or `0..2` for a range
