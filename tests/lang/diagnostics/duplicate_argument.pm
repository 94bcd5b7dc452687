print(sum(ones((2, 3)), axis=0, axis=1))

# configs: compiled
# error: PM0021 "axis"
# message: the argument `axis` is given twice
# second: "axis"
