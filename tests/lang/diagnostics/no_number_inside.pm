# A value that is not numeric inside of a library function is an error of the caller, not an internal error.
print(grad(fn(x) = sum(histogram(mean)) * x)(1.0))

# error: PM0111 "mean"
