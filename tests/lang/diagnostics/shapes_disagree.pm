for (a, b) in zip(arange(3), arange(4)) { print(a, b) }

# error: PM0202 "zip(arange(3), arange(4))"
# message: `zip` needs operands of one shape, but they are length 3 and length 4
