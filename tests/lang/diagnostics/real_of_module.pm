print(signal.welch(array([1j, 2])))
# error: PM0203 "signal.welch(array([1j, 2]))"
# message: `signal.welch` takes real numbers, not complex ones
# help: take what is meant: real(z), imag(z) or abs(z)
