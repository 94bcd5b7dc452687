# Unknown names in functions that nothing calls. A function may use names that are defined later; a statement may not.
# command: check
# configs: compiled
fn first(x) {
    let y = second(x) + total
    for (i, v) in enumerate(y) { print(i, v, w) }
    [a * b for a in y]
}
fn second(x: f32[n], scale=n) = x * n
fn nested(x) {
    let inner = fn(z) = z + x + later
    let later = 1
    inner(x)
}
fn assigns(x) {
    count = x
    totals[0] = x + count
    x
}
let total = total_of(3)
fn total_of(n) = n + nn.relu(1.0) + grad(sin)(1.0) + tn.foo
test "block" {
    let inside = 1
    print(inside, outside)
}
print(inside)
# error: PM0101 "w"
# message: unknown name `w`
# error: PM0101 "b"
# message: unknown name `b`
# error: PM0101 "n"
# message: unknown name `n`
# error: PM0101 "later"
# message: unknown name `later`
# caret: did you mean `outer`?
# error: PM0101 "count"
# message: unknown name `count`
# error: PM0101 "totals"
# message: unknown name `totals`
# caret: did you mean `total`?
# error: PM0101 "total_of"
# message: unknown name `total_of`
# error: PM0101 "tn"
# message: unknown name `tn`
# caret: did you mean `tan`?
# error: PM0101 "outside"
# message: unknown name `outside`
# error: PM0101 "inside"
# message: unknown name `inside`
