print(fft.fftn(zeros((0, 3))))
# error: PM0504 "fft.fftn(zeros((0, 3)))"
# message: `fft.fftn` needs one element at least along axis 0, got f32[0, 3]
