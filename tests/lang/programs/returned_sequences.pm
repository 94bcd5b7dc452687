# A function may return a zip of computed values; such a function is inlined, without a block.
fn pairs(x) = zip(x, x + 1.0)
for (a, b) in pairs(arange(2.0)) { print(a, b) }
fn total(x) {
    mut s = 0.0
    for (a, b) in pairs(x) { s += a * b }
    s
}
print(total(arange(3.0)))

# expect: 0.0 1.0
# expect: 1.0 2.0
# expect: 8.0
