let a = 5 − 3
print(a)

# configs: compiled
# error: PM0007 "−"
# message: unexpected character `−`
# help: the minus of the language is `-`
