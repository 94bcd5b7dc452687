fn f(x, x) = x
print(f(1, 2))

# configs: compiled
# error: PM0018 "x"
# message: `x` is bound twice
# second: "x"
