# devices: 2
fn f(x) = pmap(fn(y) = y, devices=device_count() - 2)(x)
print(f(ones(2)))

# error: PM0314 "device_count() - 2"
# message: devices of `pmap` is 0: pmap needs at least one
