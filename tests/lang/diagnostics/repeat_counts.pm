print(repeat([1, 2, 3], [1, 2]))

# error: PM0504 "repeat([1, 2, 3], [1, 2])"
# message: `repeat` needs a whole number, or one for each of 3 elements, got i32[2]
