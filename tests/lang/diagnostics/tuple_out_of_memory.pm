let s = (i for i in 0..10**18)
print(len(s))

# error: PM0512 "0..10**18"
# message: 1000000000000000000 values have no place in memory
