fn both(total, n) {
    let q = total // n
    where(n > 0, q, 0) + q
}
fn one(total, n) = where(n > 0, total // n, 0)
print(one(7, 0), both(7, 2))
print(both(7, 0))

# expect: 0 6
# error: PM0502 "total // n"
# message: division of an integer by zero
