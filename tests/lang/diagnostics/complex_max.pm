print(max(array([1j, 2])))
# error: PM0203 "max(array([1j, 2]))"
# message: `max` takes bool, integers and floats, not c64
# help: complex numbers have no order: take abs(z), real(z) or imag(z)
