print(ones(3, u8) + -1)

# error: PM0012 "ones(3, u8) + -1"
# message: the number `-1` does not fit u8
# note: u8 holds 0 to 255
