# The message omits the size names in annotations of a caller of the function that has the error.
fn add(a, b) = a + b
fn caller(x: f32[n]) = add(x, ones(4))
print(caller(ones(3)))

# error: PM0204 "a + b"
# message: shapes (3,) and (4,) do not broadcast to one shape
