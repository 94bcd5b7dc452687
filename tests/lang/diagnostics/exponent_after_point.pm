print(1.e5)

# error: PM0107 "e5"
# message: an integer has no field `e5`
# help: a float has a digit after its point: 1.0e5
