# The message says that the function called by the program needs a size, and does not name an inner function.
print(vmap(fn(x) = signal.find_peaks(x))(ones((2, 5))))
# error: PM0120 "signal.find_peaks(x)"
# message: `vmap` cannot go through this function: the size of what `signal.find_peaks` gives depends on values; say it: signal.find_peaks(..., size=n)
