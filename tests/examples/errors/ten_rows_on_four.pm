# 10 rows on 4 devices: which argument, axis, sizes, devices, and what would work.
print(pmap(fn(x) = x * 2)(zeros((10, 3))))
