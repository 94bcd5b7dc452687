let x = 3
print(max(*x))

# error: PM0117 "x"
# message: `*` spreads a tuple or an array, got an integer
