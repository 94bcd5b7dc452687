let x = ones((4, 4))
print(x[arange(2), arange(3)])

# error: PM0204 "arange(3)"
# message: shapes (2,) and (3,) do not broadcast to one shape
# caret: i32[3]
# second: "arange(2)" i32[2]
# help: for all pairs of elements, add an axis: `x[:, none]` of the one of shape (2,) has shape (2, 1)
