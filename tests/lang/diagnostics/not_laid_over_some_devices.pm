# devices: 4
print(pmap(fn(x) = x, devices=3)(arange(4.0)))

# error: PM0310 "arange(4.0)"
# message: cannot split axis 0 of argument 0, `x`, f32[4] (size 4) evenly over 3 devices
# help: use a number of devices that divides it: devices=4
# help: share the slices out as they are: pmap(..., uneven=true)
