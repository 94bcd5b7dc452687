print(true and 5)

# error: PM0279 "5"
# message: a condition is a bool, got an integer
# help: compare it: `... != 0`
