print(fft.fft2(ones((2, 2))).shape)
print(fft.fft2(arange(4.0)))

# expect: (2, 2)
# error: PM0504 "fft.fft2(arange(4.0))"
# message: `fft.fft2` needs axes of f32[4], each once, got (-2, -1)
