print(i8(-128))
print(i8(-300))

# expect: -128
# error: PM0012 "i8(-300)"
# message: the number `-300` does not fit i8
# note: i8 holds -128 to 127
