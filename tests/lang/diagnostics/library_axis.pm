# An axis that is none is told by the name of the function, also where the function only uses it inside.
print(fft.fft([1.0, 2.0], axis=5))
# error: PM0270 "fft.fft([1.0, 2.0], axis=5)"
# message: `fft.fft`: axis 5 is out of range for an array with 1 axis
# note: in the library, <stdlib>/prelude/numbers.pm:27: fn _length(x, axis) = x.shape[_axes(axis, x.ndim)[0]]
# help: its only axis is 0 (or -1)
