let x = arange(3)
print(x(1))

# error: PM0102 "x(1)"
# message: i32[3] is not a function
