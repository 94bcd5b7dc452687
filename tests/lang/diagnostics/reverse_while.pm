# Not available in this version: reverse mode through a loop whose number of turns depends on data.
fn halvings(x) {
    mut x = x
    while x > 1.0 { x = x / 2 }
    x
}
print(jvp(halvings, (5.0,), (1.0,)))
print(grad(halvings)(5.0))

# expect: (0.625, 0.125)
# error: PM0802 "x > 1.0"
# message: reverse mode through a loop whose number of turns depends on data is not available in this version
# help: use a `for` over a known range with a condition inside: `for i in 0..n { if going { ... } }`
# caret: the derivative passes through this loop
