# If a library function accepts only real numbers, the error has the function's name in the program.
print(percentile(array([1j, 2]), 50))
# error: PM0203 "percentile(array([1j, 2]), 50)"
# message: `percentile` takes real numbers, not complex ones
# help: take what is meant: real(z), imag(z) or abs(z)
