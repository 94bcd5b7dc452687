# devices: 2
print(pmap(fn(x) = sum(x), tiled=true)(arange(4.0)))

# error: PM0314 "pmap(fn(x) = sum(x), tiled=true)(arange(4.0))"
# message: out_axes of `pmap` is 0: the result has 0 axes
# note: with tiled=true results are laid end to end along an axis that they have
# help: give it an axis of one element: [x] for x
