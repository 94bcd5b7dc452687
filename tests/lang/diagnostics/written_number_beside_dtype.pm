# A literal in a branch must fit the dtype of the other branch, also if the function is interpreted.
fn f(n) {
    let t = time()
    if n > 2 { 300 } else { u8(n) }
}
print(f(1))
print(f(3))

# expect: 1
# error: PM0012 "f(3)"
# note: u8 holds 0 to 255
