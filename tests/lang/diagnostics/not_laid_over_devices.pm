# devices: 4
# configs: compiled evaluate mixed
print(shard({x: zeros((8, 2)), y: zeros((2, 10))}, axis=-1).x)
# error: PM0310 "{x: zeros((8, 2)), y: zeros((2, 10))}"
# message: cannot split axis 1 of .y, f32[2, 10] (size 10) evenly over 4 devices
# note: 10 = 4*2 + 2; sizes that work near here: 8, 12
# help: cut it to 8, or pad it to 12: pad_to(x, 4, axis=1) gives that, and a mask of the 10
# help: use a number of devices that divides it: pm run --devices cpu:5 ...
