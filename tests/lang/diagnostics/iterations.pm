# An error in a loop that runs at the top level, or that is unrolled, names the item of the iteration.
fn widths(sizes) {
    mut all = ()
    for n in sizes {
        for name in ("first", "second") {
            all = all + (zeros(3) + zeros(n),)
        }
    }
    all
}
print(len(widths((1, 3, 4))))

# error: PM0204 "zeros(3) + zeros(n)"
# calls: 11:11
# note: in the iteration with name = "first"
# note: in the iteration with n = 4
