print(sum(zeros((2, 3)), axis=2))

# error: PM0270 "2"
# message: axis 2 is out of range for an array with 2 axes
