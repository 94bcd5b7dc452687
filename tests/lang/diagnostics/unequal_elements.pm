print(vmap(fn(x) = {u: x}, axis_name="i", out_axes=none)(arange(2.0)))

# error: PM0314
# message: out_axes of `vmap` is none: result `.u` differs from element to element
# help: combine it: pmean(..., "i")
# help: or keep one per element: out_axes=0 for it
