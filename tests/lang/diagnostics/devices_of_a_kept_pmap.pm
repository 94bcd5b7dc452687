# A wrong option of pmap is reported at the call of pmap, not where the mapped function is called.
# devices: 2
# configs: compiled evaluate mixed
fn double(x) = 2 * x
let count = 3
let on_three = jit(double.pmap(devices=count))
print(vmap(on_three)(ones((2, 2))))

# error: PM0316 "count"
# message: `pmap` asks for 3 devices, but there are 2
# help: pm run --devices cpu:3 ...
