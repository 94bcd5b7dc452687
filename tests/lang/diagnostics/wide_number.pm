# A weak integer becomes i32, and is refused if it does not fit.
print(arange(3) + 3000000000)

# error: PM0012 "arange(3) + 3000000000"
