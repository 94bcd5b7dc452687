print(1j < 2)
# error: PM0287 "1j < 2"
# help: complex numbers have no order: take abs(z), real(z) or imag(z)
