let x = [1, 2, 3]
print(vmap(fn(i) = where(i < 4, x[i], 0))([2, 9]))
print(vmap(fn(i) = where(i < 4, x[i], 0))([2, 3]))

# expect: [3, 0]
# error: PM0501 "i"
# message: index 3 is out of range for axis 0 of size 3
