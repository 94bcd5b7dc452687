let x = zeros((2, 3))
print(x[0, 1, 2])

# error: PM0285 "x[0, 1, 2]"
# message: f32[2, 3] has 2 axes, but 3 are indexed
