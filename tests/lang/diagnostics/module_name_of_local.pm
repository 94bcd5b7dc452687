fn f(nn) = relu(nn)
print(f(1.0))

# error: PM0101 "relu"
# help: the module `nn` has one, but `nn` is a value of the program here: give that another name
