let x = [[1.0, 2.0]]
print(x.T())
# error: PM0101 "T"
# message: unknown name `T`
# help: it is no function: x.T
