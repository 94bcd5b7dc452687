# A row where a column was probably meant.
fn scaled(x, weights) = x * weights
print(scaled(ones((2, 3)), ones(2)))

# error: PM0204 "x * weights"
# message: shapes (2, 3) and (2,) do not broadcast to one shape
# second: "x" f32[2, 3]
# second: "weights" f32[2]
# help: add an axis: `x[:, none]` of the one of shape (2,) has shape (2, 1)
