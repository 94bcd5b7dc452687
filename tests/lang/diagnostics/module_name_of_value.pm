let nn = 3
print(nn.relu(1.0))

# error: PM0101 "relu"
# message: unknown name `relu`
# help: the module `nn` has one, but `nn` is a value of the program here: give that another name
