# configs: compiled evaluate mixed gpu-emulated
print(sum(zeros((1000000, 1000000)) + 1.0))

# error: PM0512 "zeros((1000000, 1000000))"
# message: 4000000000000 more bytes would pass the memory limit of {*} bytes ({*} are in use)
