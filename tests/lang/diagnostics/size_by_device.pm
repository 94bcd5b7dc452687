fn count(c) {
    mut n = c
    for k in 0..2 { n += psum(sum(arange(3)) * axis_index("i"), "i") }
    n
}
print(vmap(fn(x) = x + zeros(count(0)), axis_name="i")(ones(4)))
# error: PM0274
