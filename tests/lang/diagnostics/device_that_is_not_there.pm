# devices: 2
# configs: compiled evaluate mixed
print(pmap(fn(x) = x, devices=("cpu:0", "cpu:5"))(ones(2)))

# error: PM0316 "("cpu:0", "cpu:5")"
# message: `pmap` asks for device cpu:5, but there are 2
# help: pm run --devices cpu:6 ...
