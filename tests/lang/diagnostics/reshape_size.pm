print(reshape(arange(6), (4, 2)))

# error: PM0235 "reshape(arange(6), (4, 2))"
# message: cannot reshape i32[6] to (4, 2): they hold 6 and 8 elements
