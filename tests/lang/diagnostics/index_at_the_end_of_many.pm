fn f(x, i) = x[i]
let i = arange(16385) % 50
print(sum(f(arange(50), i)))
print(f(arange(50), where(arange(16385) == 16384, 1000, i)))

# expect: 401170
# error: PM0501 "i"
# message: index 1000 is out of range for axis 0 of size 50
# help: indices go from 0 to 49, or from -50 to -1
