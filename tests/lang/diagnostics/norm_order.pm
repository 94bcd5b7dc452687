# The message has the valid orders of a norm.
print(linalg.norm(x=3, ord="x"))

# error: PM0504 "linalg.norm(x=3, ord="x")"
# message: the `ord` of `linalg.norm` must be a number, inf, -inf, "fro" or "nuc", got x
