# The first of many invalid indices is reported; on a GPU a kernel finds it.
fn f(x, i) = sum(x[i])
let good = arange(20011) % 100
print(f(arange(100), good))
print(f(arange(100), where(arange(20011) == 20010, 99, good)))
print(f(arange(100), where(arange(20011) % 9001 == 7001, good + 100, good)))

# expect: 990055
# expect: 990144
# error: PM0501 "i"
# message: index 101 is out of range for axis 0 of size 100
# help: indices go from 0 to 99, or from -100 to -1
