# devices: 2
# configs: compiled evaluate mixed
print(pmap(fn(x) = x, devices=("cpu:1", "cpu:0", "cpu:1"))(ones(3)))

# error: PM0314 "("cpu:1", "cpu:0", "cpu:1")"
# message: devices of `pmap` is ("cpu:1", "cpu:0", "cpu:1"): cpu:1 is there twice
# help: say how many, devices=2, or which, devices=devices()[:2]; without it all there are take part
