let pair = (1, 2)
print(pair[2])

# error: PM0501 "2"
# message: index 2 is out of range for a tuple of 2
# help: indices go from 0 to 1, or from -2 to -1
