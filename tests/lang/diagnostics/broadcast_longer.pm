let x = ones((5, 4))
print(x - ones((3, 2)))

# error: PM0204 "x - ones((3, 2))"
# help: take the part that fits: `x[:3, :2]` of the one of shape (5, 4)
