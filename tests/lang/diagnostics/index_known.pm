let x = arange(4)
print(x[4])

# error: PM0501 "4"
# message: index 4 is out of range for axis 0 of size 4
# help: indices go from 0 to 3, or from -4 to -1
