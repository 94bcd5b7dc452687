fn f(x, y) = x + y
print(f(1))

# error: PM0103 "f(1)"
# message: `f` takes 2 arguments, got 1
# second: "fn f(x, y)"
# help: call it as f(x, y)
