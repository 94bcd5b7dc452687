# A value carried by a loop keeps its type.
fn f(n) {
    mut x = zeros(2)
    for i in 0..n { x = concatenate((x, zeros(1))) }
    x
}
print(f(arange(3)[2]))

# error: PM0273 "0..n"
# message: `x` changes its type in the loop: it comes in as f32[2] and leaves a turn as f32[3]
