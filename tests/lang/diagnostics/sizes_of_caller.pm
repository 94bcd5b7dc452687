# The message omits the size names of a function that only calls the one with the error.
fn add(a, b) = a + b
fn caller(x: f32[n]) = add(x, ones(4))
print(caller(ones(3)))

# error: PM0204 "a + b"
# message: shapes (3,) and (4,) do not broadcast to one shape
