# The error of a check under `vmap` names the element of each mapped axis, also in a loop and in a branch.
fn below(x) {
    mut total = 0.0
    while total < 10 {
        total += x
        if total > 4 { assert(total < 9, "{total} is too large") }
    }
    total
}
let table = vmap(vmap(below))
print(table(array([[2.5], [1.0]]) + 1))
print(table(array([[2.0, 4.0], [3.0, 4.0], [1.0, 2.0]]) - 0.0))

# error: PM0503
# message: 10.5 is too large (10.5 < 9)
# calls: 11:7
# note: at element [0, 0] of the mapped axes
