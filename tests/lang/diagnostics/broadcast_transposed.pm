print(maximum(ones((2, 3)), ones((3, 2))))

# error: PM0204 "maximum(ones((2, 3)), ones((3, 2)))"
# second: "ones((2, 3))" f32[2, 3]
# second: "ones((3, 2))" f32[3, 2]
# help: transpose one: `x.T` of the one of shape (2, 3) has shape (3, 2)
