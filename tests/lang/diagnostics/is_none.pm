let x = 1.0
if x is none { print("none") }
# error: PM0001 "is"
# message: expected `{`, found `is`
# help: write `x == none`, and `x != none` for `is not`
