print(arange(0, 1, 0))

# error: PM0284 "0"
# message: the step of `arange` is zero
