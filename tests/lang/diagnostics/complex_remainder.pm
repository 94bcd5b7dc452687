print(array([1j]) % 2)
# error: PM0203 "array([1j]) % 2"
# message: `%` takes integers and floats, not c64
# help: take real parts first: real(z), imag(z) or abs(z)
