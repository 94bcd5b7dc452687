# The message names the function that the program calls, not an inner one, as the one that needs a size.
print(vmap(fn(x) = signal.find_peaks(x))(ones((2, 5))))
# error: PM0120 "signal.find_peaks(x)"
# message: `vmap` cannot go through this function: the size of what `signal.find_peaks` gives depends on values; say it: signal.find_peaks(..., size=n)
