# devices: 2
print(pmap(fn(x) = x, devices=(0, 1))(ones(2)))

# error: PM0314 "(0, 1)"
# message: devices of `pmap` is (0, 1): 0 is no device; devices() gives their names
