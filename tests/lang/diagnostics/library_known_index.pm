# If a line of the library has a known index that is out of range, the user's call is the place of the error.
print(reduce("a", 0, fn(x, y) = x + y, (0,)))

# error: PM0501 "reduce("a", 0, fn(x, y) = x + y, (0,))"
# message: index 0 is out of range for a tuple of 0
# note: it is reduce(x, init, f, axes): the elements of x and `init` combined along `axes` by f(a, b), which must be associative
