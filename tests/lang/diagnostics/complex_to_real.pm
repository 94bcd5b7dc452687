let z = c64([1 + 2j, 3])
print(f32(z))
# error: PM0208 "f32(z)"
# message: a complex number cannot become a f32: its imaginary part would be lost
# help: take what is meant: real(z), imag(z) or abs(z)
