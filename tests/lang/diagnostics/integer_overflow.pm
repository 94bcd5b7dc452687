print(10 ** 20)

# error: PM0283 "10 ** 20"
# message: `**` of 10 and 20 does not fit 64 bits
