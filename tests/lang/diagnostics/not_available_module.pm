import fft
# error: PM0804 "fft"
