# configs: compiled evaluate mixed
print(pmap(fn(x) = x, devices=2)(ones(2)))

# error: PM0316 "2"
# message: `pmap` asks for 2 devices, but there is 1
# help: pm run --devices cpu:2 ...
# help: or run it on those there are: leave devices= out
