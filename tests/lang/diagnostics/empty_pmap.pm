# pmap needs at least one slice.
print(pmap(fn(x) = x)(zeros((0, 3))))

# error: PM0314 "pmap(fn(x) = x)(zeros((0, 3)))"
