print(concatenate((ones(3), ones(4)), axis=1))

# error: PM0270 "1"
# message: axis 1 is out of range for f32[3] with 1 axis
# help: its only axis is 0 (or -1)
