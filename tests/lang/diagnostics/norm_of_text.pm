# The order of a vector's norm is a number; "fro" is an order of the norms of matrices.
print(linalg.norm([3.0, 4.0]))
print(linalg.norm([3.0, 4.0], ord="fro"))

# expect: 5.0
# error: PM0504 "linalg.norm([3.0, 4.0], ord="fro")"
# message: `ord` of a vector is a number, inf or -inf, got fro
