# devices: 4
print(pmap(fn(x) = x, tiled=true, axis_size=3)(arange(8.0)))

# error: PM0310 "arange(8.0)"
# message: cannot split axis 0 of argument 0, `x`, f32[8] (size 8) evenly into 3 blocks
# help: use a number of blocks that divides it: axis_size=4
