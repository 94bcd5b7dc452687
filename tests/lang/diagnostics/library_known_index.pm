# An index that is known to be out of range in a line of the library is told with the call that led to it.
print(reduce("a", 0, fn(x, y) = x + y, (0,)))

# error: PM0501 "reduce("a", 0, fn(x, y) = x + y, (0,))"
# message: index 0 is out of range for a tuple of 0
# note: it is reduce(x, init, f, axes): f(a, b), which must be associative, over all elements of these axes of x and init
