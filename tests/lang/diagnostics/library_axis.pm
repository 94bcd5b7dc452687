# For an invalid axis the message names the called function and shows its argument, also if an inner call fails.
print(fft.fft([1.0, 2.0], axis=5))
# error: PM0270 "5"
# message: `fft.fft`: axis 5 is out of range for an array with 1 axis
# note: it is fft.fft(x, n=none, axis=-1, norm=none): the sums over j of x[j] exp(-2 pi i j k / n), k = 0 to n - 1, c[..., n]
# help: its only axis is 0 (or -1)
