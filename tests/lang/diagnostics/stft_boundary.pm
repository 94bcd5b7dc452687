print(signal.stft(arange(40.0), boundary=3))
# error: PM0504 "signal.stft(arange(40.0), boundary=3)"
# message: the `boundary` of `signal.stft` must be true (or "zeros") or false (or none), got i32
