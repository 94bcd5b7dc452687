mut x = 3
x + 1 = 4
print(x)

# configs: compiled
# error: PM0017 "x + 1"
# message: cannot assign to the result of an operator
# help: `==` compares
