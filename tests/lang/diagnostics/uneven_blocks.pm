# devices: 4
fn f(x) = x * 2
print(pmap(f, tiled=true, uneven=true)(zeros((12, 2))).shape)
print(pmap(f, tiled=true, uneven=true)(zeros((10, 2))))

# expect: (12, 2)
# error: PM0310 "zeros((10, 2))"
# message: cannot split axis 0 of argument 0, `x`, f32[10, 2] (size 10) evenly over 4 devices
# note: with tiled=true every device has a block of the same shape; uneven=true is for slices
# help: leave tiled=true out: then the function gets slices, and uneven=true shares them out
