print(fft.rfft([1j, 2]))
# error: PM0504 "fft.rfft([1j, 2])"
