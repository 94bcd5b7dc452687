let turns = [3000000000i64]
fn f(x) {
    mut s = x
    for i in 0..turns[0] { s = s * x }
    s
}
print(grad(f)(3.0))

# error: PM0802 "0..turns[0]"
# message: reverse mode through a loop whose number of turns depends on data is not available in this version
# caret: the derivative passes through this loop
# note: what a `for` counts has to be known and below 2^31
# help: use a `for` over a known range with a condition inside: `for i in 0..n { if going { ... } }`
