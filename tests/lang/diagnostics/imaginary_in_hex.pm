print(0x1j)

# configs: compiled
# error: PM0011 "0x1j"
# message: `0x1j` is not a number: an imaginary number is written in decimal digits
