let (a, b) = (1, 2, 3)
print(a, b)

# error: PM0109 "(a, b)"
# message: the pattern takes 2 values, got 3
# second: "(1, 2, 3)"
