let f = jit(fn(x) = nonzero(x))
print(f(array((0, 1, 1))))

# error: PM0290 "nonzero(x)"
# message: `nonzero` gives an array of unknown size in compiled code
# help: say how many elements at most: nonzero(..., size=n)
