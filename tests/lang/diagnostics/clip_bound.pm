print(clip(u8([250]), 0, 200), clip([1.0, nan], 2, 3), clip(7, 0, 5), clip(u8([3]), max=2), median([]), median(zeros((0, 2)), axis=0))
print(clip(u8([250]), 0, 300))

# expect: [200] [2.0, nan] 5 [2] nan [nan, nan]
# error: PM0012 "300"
# message: the number `300` does not fit u8
# note: u8 holds 0 to 255
