let (a, b) = (true, false)
print(a && b)

# configs: compiled
# error: PM0033 "&&"
# message: `&&` is not part of the language
# help: write `and`
