# Library functions that accept only real numbers report the name that the program uses.
print(percentile(array([1j, 2]), 50))
# error: PM0203 "percentile(array([1j, 2]), 50)"
# message: `percentile` takes real numbers, not complex ones
# help: take what is meant: real(z), imag(z) or abs(z)
