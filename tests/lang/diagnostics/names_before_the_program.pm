# Unknown names in statements are found before the first statement runs. A function may never be called.
print("this is not printed")
fn never_called() = no_name
if 1 > 0 { print(later(1), missing) }
print(attempt(fn() = no_name).ok)
fn later(x) = x
print(value)
let value = 1

# error: PM0101 "later"
# error: PM0101 "missing"
# error: PM0101 "value"
