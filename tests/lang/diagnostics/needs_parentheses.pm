let x = true
print(1 == not x)

# configs: compiled
# error: PM0032 "not"
# message: `not` on the right of `==` needs parentheses
