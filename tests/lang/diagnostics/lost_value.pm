let x = 3
x + 1
print(x)

# error: PM0110 "x + 1"
# message: the value of this statement is lost, and it does nothing else
