print(2j * 2j)

# error: PM0801 "2j"
# message: complex numbers are not available in this version: `2j`
