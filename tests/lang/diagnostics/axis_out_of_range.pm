print(sum(zeros((2, 3)), axis=2))

# error: PM0270 "2"
# message: axis 2 is out of range for f32[2, 3] with 2 axes
# help: its axes are 0 to 1, or -2 to -1
