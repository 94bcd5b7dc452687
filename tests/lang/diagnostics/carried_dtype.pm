# A carried value with a dtype does not become wider.
fn f(a) {
    mut x = array([1, 2])
    while sum(x) < a { x = x * 1.5 }
    x
}
print(f(30))

# error: PM0273 "sum(x) < a"
# message: `x` changes its type in the loop: it comes in as i32[2] and leaves an iteration as f32[2]
