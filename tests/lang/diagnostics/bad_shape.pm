print(reshape(arange(6), (4, -1)))

# error: PM0280 "reshape(arange(6), (4, -1))"
# message: (4, -1) is no shape: -1 has no value: 6 elements do not divide by 4
