print(sum(axis=0, ones((2, 3))))

# configs: compiled
# error: PM0020 "ones((2, 3))"
# message: a positional argument cannot follow a named one
# second: "axis"
# help: put the named arguments last
