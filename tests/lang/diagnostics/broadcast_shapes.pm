fn add(a, b) = a + b
print(add(zeros((2, 3)), zeros((4, 3))))

# error: PM0204 "a + b"
# message: shapes (2, 3) and (4, 3) do not broadcast to one shape
# note: axes are lined up from the last; sizes must be equal, or one of them 1
# second: "a" f32[2, 3]
# second: "b" f32[4, 3]
# help: for all pairs of elements, add an axis: `x[:, none]` of the one of shape (2, 3) has shape (2, 1, 3)
