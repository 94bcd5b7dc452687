let x = 1.0
print(x is not none)
# error: PM0001 "is"
# message: expected `,` or `)`, found `is`
# help: write `x == none`, and `x != none` for `is not`
