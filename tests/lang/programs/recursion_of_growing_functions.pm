# A recursion whose types change at each level: each level's function captures the function of the level before. The
# number that ends it is known, in compiled code and with host work. All levels up to the limit are staged first.
# slow: yes
fn late() { write_text("/dev/null", "") }
fn nest(g, n) = if n == 0 { g(1) } else { nest(fn(x) = g(x) * 100000, n - 1) }
fn nest_late(g, n) {
    late()
    if n == 0 { g(1) } else { nest_late(fn(x) = g(x) * 100000, n - 1) }
}
print(nest(fn(x) = x, 2), nest_late(fn(x) = x, 2))
# expect: 10000000000 10000000000
