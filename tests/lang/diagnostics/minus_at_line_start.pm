let a = 1
    - 2
print(a)

# configs: compiled
# error: PM0014 "-"
# message: a line that starts with `-` is a new statement, but this one is indented like a continuation
# help: to go on, end the line before with the `-`; to begin a statement, indent it like the one before
