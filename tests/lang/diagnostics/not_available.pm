print(uneven(ones(4)))
# error: PM0804 "uneven"
# message: `uneven` is not available in this version
