# devices: 2
print(pmap(fn(x) = x, devices=1.0)(ones(2)))

# error: PM0314 "1.0"
# message: devices of `pmap` is a float: it is an integer or a tuple of devices
