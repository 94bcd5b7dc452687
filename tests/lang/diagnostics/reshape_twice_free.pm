print([1, 2, 3].reshape(-1, -1))
# error: PM0280 "[1, 2, 3].reshape(-1, -1)"
# message: (-1, -1) is no shape: -1 stands for one size only
# note: `reshape` takes sizes; one of them may be -1, for what the others leave
# help: say all sizes but one
