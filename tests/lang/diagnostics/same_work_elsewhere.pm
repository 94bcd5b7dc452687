# Equal operations on two lines share code; the error has the line that failed.
let a = arange(3) // ones(3, i32)
let b = arange(3) // zeros(3, i32)
print(a, b)

# error: PM0502 "arange(3) // zeros(3, i32)"
# message: division of an integer by zero
