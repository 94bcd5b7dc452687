fn f(n) = f(n + 1)
print(f(1))

# error: PM0701 "f(n + 1)"
# message: `f` calls itself more than 1000 levels deep
# second: "fn f(n)" the function
# help: where it never ends, return without calling `f` in the last case; where it ends later, write a loop
