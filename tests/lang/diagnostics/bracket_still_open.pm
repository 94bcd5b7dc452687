# A bracket that was to end on the line before is shown.
let y = 3
let z = [1, 2
print(z)

# error: PM0001 "print"
# message: expected `,` or `]`, found `print`
# second: "[" this `[` is still open
