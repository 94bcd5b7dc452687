# The message shows the open bracket, which should be closed at the end of the line before.
let y = 3
let z = [1, 2
print(z)

# error: PM0001 "print"
# message: expected `,` or `]`, found `print`
# second: "[" this `[` is still open
