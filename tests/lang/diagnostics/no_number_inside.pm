# What only the inside of a function needs as numbers is the caller's mistake, not an internal error.
print(grad(fn(x) = sum(histogram(mean)) * x)(1.0))

# error: PM0111 "mean"
