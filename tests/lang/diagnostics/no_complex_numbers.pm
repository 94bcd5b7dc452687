# A complex dtype is refused for known numbers and literals too.
print(c64(1.5) * 2)
# error: PM0801 "c64(1.5)"
# message: complex numbers are not available in this version: `c64`
