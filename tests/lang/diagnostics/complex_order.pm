let z = array([1j, 2])
print(z < 2j)
# error: PM0203 "z < 2j"
# message: `<` takes bool, integers and floats, not c64
# help: complex numbers have no order: take abs(z), real(z) or imag(z)
