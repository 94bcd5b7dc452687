# In a loop that cannot be unrolled, the type of a carried value must not change.
fn f(a) {
    mut x = zeros(2)
    while sum(x) < a { x = concatenate((x, ones(1))) }
    x
}
print(f(3.0))

# error: PM0273 "sum(x) < a"
# message: `x` changes its type in the loop: it comes in as f32[2] and leaves an iteration as f32[3]
