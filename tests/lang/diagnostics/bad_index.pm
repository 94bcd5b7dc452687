let x = arange(4)
print(x[1.5])

# error: PM0284 "1.5"
# message: an index is an integer, got a float
# help: convert it: i32(...)
