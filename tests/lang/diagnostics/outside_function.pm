let x = 3
if x > 2 { return x }

# configs: compiled
# error: PM0027 "return x"
# message: `return` outside a function
