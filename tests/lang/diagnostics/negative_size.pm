print(zeros(-3))

# error: PM0205 "-3"
# message: a shape cannot hold the negative size -3
