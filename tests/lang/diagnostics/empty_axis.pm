print(take(zeros(0), 0, mode="clip"))

# error: PM0247 "take(zeros(0), 0, mode="clip")"
# message: `take` along axis 0 of f32[0], which is empty
