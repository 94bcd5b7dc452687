print("total: " + 3)

# error: PM0287 ""total: " + 3"
# message: `+` does not take a string and an integer
# help: put the value into the text: "... {value}"
