# Not available in this version: reverse mode through a loop whose number of turns depends on data.
fn halvings(x) {
    mut x = x
    while x > 1.0 { x = x / 2 }
    x
}
print(jvp(halvings, (5.0,), (1.0,)))
print(grad(halvings)(5.0))
