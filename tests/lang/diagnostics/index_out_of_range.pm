# The index is known only at run time.
fn f(x, i) = x[i]
print(f(arange(4.0), 3))
print(f(arange(4.0), 7))

# expect: 3.0
# error: PM0501 "i"
# message: index 7 is out of range for axis 0 of size 4
# help: indices go from 0 to 3, or from -4 to -1
