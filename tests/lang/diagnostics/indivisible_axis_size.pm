# devices: 4
print(pmap(fn() = axis_index("i"), axis_name="i", axis_size=6)())

# error: PM0310 "pmap(fn() = axis_index("i"), axis_name="i", axis_size=6)()"
# message: cannot split the 6 slices of axis_size evenly over 4 devices
# help: ask for as many as lie evenly: axis_size=4
# help: use a number of devices that divides it: devices=3
# help: share the slices out as they are: pmap(..., uneven=true)
