# devices: 2
print(pmap(pmap(fn(x) = x, devices=3))(ones((2, 3))))

# error: PM0316 "3"
# message: `pmap` asks for 3 devices, but there are 2
