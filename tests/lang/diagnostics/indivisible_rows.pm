# devices: 4
fn f(x) = x * 2
print(pmap(f)(zeros((10, 2))))

# error: PM0310 "zeros((10, 2))"
# message: cannot split axis 0 of argument 0, `x`, f32[10, 2] (size 10) evenly over 4 devices
# note: 10 = 4*2 + 2; sizes that work near here: 8, 12
# help: use a number of devices that divides it: devices=2
# help: cut it to 8, or pad it to 12: pad_to(x, 4) gives that, and a mask of the 10
# help: share the slices out as they are: pmap(..., uneven=true)
