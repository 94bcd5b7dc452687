# A function with a custom rule is a callee: the calls that led to it are named once.
fn root(x) {
    assert(x > 0, "{x} has no root")
    sqrt(x)
}
let smooth_root = custom_jvp(root, fn(p, t) = (root(p[0]), t[0] / (2 * sqrt(p[0]))))
fn quotient(x, i) {
    let y = 10 // i
    smooth_root(x) + (if x > 5 { y } else { 0 })
}
fn loss(x, i) = quotient(x, i)
print(loss(4.0, 2))
loss(-1.0, 2)

# expect: 2.0
# error: PM0503 "assert(x > 0, "{x} has no root")"
# calls: 9:5 11:17 13:1
