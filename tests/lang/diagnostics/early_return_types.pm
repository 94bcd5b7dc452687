fn f(x) {
    mut x = x
    for i in 0..3 {
        if x[i] > 1 { return x[:2] }
        x[i] = 2
    }
    x
}
print(f(zeros(3)))

# error: PM0272 "for i in 0..3 {"
# message: an early `return` gives f32[3] on one side and f32[2] on the other
# note: both sides of a condition that is computed in compiled code give the same type
