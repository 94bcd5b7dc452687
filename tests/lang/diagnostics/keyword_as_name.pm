let while = 3

# configs: compiled
# error: PM0016 "while"
# message: `while` is a keyword and cannot be used as a name
# help: choose another name, as `while_`
