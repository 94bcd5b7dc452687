print(load_npy("tests/lang/data/complex.npy"))

# error: PM0801 "load_npy("tests/lang/data/complex.npy")"
# message: complex numbers are not available in this version: tests/lang/data/complex.npy holds c64[2]
# help: save its real and its imaginary part as two arrays
