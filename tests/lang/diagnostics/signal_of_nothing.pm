print(signal.periodogram([]))
# error: PM0504 "signal.periodogram([])"
# message: `signal.periodogram` needs one element at least, got f32[0]
