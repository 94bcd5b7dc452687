# The message shows a bracket that should end on the line before.
let y = 3
let z = [1, 2
print(z)

# error: PM0001 "print"
# message: expected `,` or `]`, found `print`
# second: "[" this `[` is still open
