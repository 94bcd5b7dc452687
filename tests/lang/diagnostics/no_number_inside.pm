# If a library function computes with a value that is no number, the caller is wrong: it is no internal error.
print(grad(fn(x) = sum(histogram(mean)) * x)(1.0))

# error: PM0111 "mean"
