print(pmap(fn(x) = x, uneven=true)(zeros(3)))
# error: PM0804 "uneven"
