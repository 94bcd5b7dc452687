# The message has the use of the size and the vmap call that splits the array of sizes; a function is between them.
fn rows(n, x) {
    let m = n * 2
    sum(reshape(x, (m, 2)))
}
fn twice(n, x) = 2 * rows(n, x)
print(vmap(twice, in_axes=(0, none))(arange(3), ones(4)))

# error: PM0274 "reshape(x, (m, 2))"
# message: a shape must be known before the program runs, but it is computed from the elements of an array
# second: "vmap(twice, in_axes=(0, none))(arange(3), ones(4))" here it comes from the elements of an array
# note: through `vmap(twice)`
