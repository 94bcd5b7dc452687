print(7 % 0)

# error: PM0502 "7 % 0"
# message: division of the integer 7 by zero
# help: replace the zero
