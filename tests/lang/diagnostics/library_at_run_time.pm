# Several calls share the compiled code of a library function. A check that fails in it is reported at its call's line.
fn quotients(a, b) = divmod(a, b)[0]
fn rests(a, b) {
    mut total = 0
    for i in 0..len(b) { total += divmod(a[i], b[i])[1] }
    total
}
print(quotients(arange(3), ones(3, i32)))
print(rests(arange(3), ones(3, i32)))
print(rests(arange(3), arange(3)))

# expect: [0, 1, 2]
# expect: 0
# error: PM0502 "divmod(a[i], b[i])"
# message: division of an integer by zero
