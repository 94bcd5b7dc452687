fn wrong(total, n) = where(n >= 0, total // n, 0)
print(wrong([7, 8], [2, -1]))
print(wrong([7, 8], [-1, 0]))

# expect: [3, 0]
# error: PM0502 "total // n"
# message: division of an integer by zero
