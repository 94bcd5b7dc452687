mut (a, b) = (1, 2)
(a, b) += 1
print(a, b)

# configs: compiled
# error: PM0036 "+="
# message: `+=` needs a name or a place on its left, not a tuple
