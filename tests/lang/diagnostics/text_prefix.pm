# The prefixes of Python's strings are errors.
let x = 1.0
print(f"{x}")
# error: PM0001 """
# message: expected `,` or `)`, found a text
# help: every text takes values in braces, without an `f` in front: "x = {x}"
