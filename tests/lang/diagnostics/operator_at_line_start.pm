let a = 1
    + 2
print(a)

# configs: compiled
# error: PM0013 "+"
# message: a line cannot start with `+`: the statement before it has ended
# help: end the line before with `+`, or put the whole in parentheses
