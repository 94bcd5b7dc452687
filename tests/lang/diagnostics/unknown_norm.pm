# The order of a matrix norm must be one of a few values.
print(linalg.norm(eye(2), ord=2))
print(linalg.norm(eye(2), ord=3))

# expect: 1.0
# error: PM0111 "linalg.norm(eye(2), ord=3)"
# message: `linalg.norm`: `ord` of a matrix needs "fro", "nuc", 1, -1, 2, -2, inf or -inf, got 3
