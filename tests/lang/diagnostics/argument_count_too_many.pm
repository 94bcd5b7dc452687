fn f(x, y=1) = x + y
print(f(1, 2, 3))

# error: PM0103 "f(1, 2, 3)"
# message: `f` takes 1 to 2 arguments, got 3
# second: "fn f(x, y=1)" defined here
# help: call it as f(x, y)
