print(sum(zeros((2, 3)), axis=(0, -2)))

# error: PM0271 "(0, -2)"
# message: axis 0 is named twice
