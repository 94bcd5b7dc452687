let z = array([1j, 2])
print(z.median())
# error: PM0203 "z.median()"
# message: `median` takes real numbers, not complex ones
# help: take what is meant: real(z), imag(z) or abs(z)
