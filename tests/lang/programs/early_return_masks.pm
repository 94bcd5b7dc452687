# The derivative of code that an early return skips is not added, also if its sum over the iterations is added to values
# after the loop, and if the exit conditions of the elements together include all elements.
# expect: 1.0
fn f(x) {
    let a = sin(x * [0.76f64])
    mut m = [-0.45f64]
    mut n = 0
    while n < 2 {
        m[0] = logsumexp(logaddexp(a, [-0.45f64]), axis=0)
        if true { return x }
    }
    sum(sin(m))
}
print(grad(f)(0.3f64))

# expect: -1.8661 -1.8661
fn g(x, stop) {
    let a = sin(x * [0.76f64, 0.1, 1.3])
    mut m = [-0.45f64, 0.2, 0.1]
    mut n = 0
    while n < 3 {
        m[n] = logsumexp(logaddexp(a, [-0.45f64, 0.3, a[1]]), axis=0) * m[0]
        if n > stop { return x * sum(m) }
        n += 1
    }
    sum(sin(m) * a)
}
let slope = grad(g)(0.3f64, 5)
let difference = (g(0.3f64 + 1e-6, 5) - g(0.3f64 - 1e-6, 5)) / 2e-6
print(round(slope, 4), round(difference, 4))
