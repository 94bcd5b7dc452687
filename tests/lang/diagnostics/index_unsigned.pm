# The greatest unsigned number is no index of the last element, although -1 has the same bits as this number.
fn at(x, i) = x[i]
print(jit(at)(arange(5), u32(4)))
print(jit(at)(arange(5), u32(4294967295)))

# expect: 4
# error: PM0501 "i"
# message: index 4294967295 is out of range for axis 0 of size 5
# help: indices go from 0 to 4, or from -5 to -1
