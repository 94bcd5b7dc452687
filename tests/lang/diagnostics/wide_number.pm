# A weak integer becomes an i32; it is an error if it does not fit.
print(arange(3) + 3000000000)

# error: PM0012 "arange(3) + 3000000000"
