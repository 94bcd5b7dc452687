print(transpose(zeros((2, 3, 4)), (0, 1)))

# error: PM0236 "transpose(zeros((2, 3, 4)), (0, 1))"
# message: `transpose` of f32[2, 3, 4] needs each of its axes once, got (0, 1)
