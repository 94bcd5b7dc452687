# The loop stops at the iteration that fails; the prints of earlier iterations are in the output.
fn f(x, n) {
    mut total = 0.0
    for i in 0..n { total += x[i] }
    total
}
print(f(arange(4.0), 4))
print(f(arange(4.0), 6))

# expect: 6.0
# error: PM0501 "i"
# message: index 4 is out of range for axis 0 of size 4
