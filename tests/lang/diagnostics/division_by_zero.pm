fn f(a, b) = a // b
print(f(arange(3), ones(3, i32)))
print(f(arange(3), arange(3)))

# expect: [0, 1, 2]
# error: PM0502 "a // b"
# message: division of an integer by zero
# help: replace the zero: `where(b == 0, 1, b)`; or divide as floats: `a / b` is inf
