fn f(x) {
    mut n = 0
    for i in range(0, 10, argmax(x)) { n += i }
    n
}
print(f([3.0, 1.0]))

# error: PM0284 "range(0, 10, argmax(x))"
# message: the step of a range is zero
