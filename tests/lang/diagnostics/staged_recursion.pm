fn f(x) = if sum(x) > 0.0 { f(x - 1.0) } else { x }
print(f(ones(2)))

# error: PM0702 "f(x - 1.0)"
# message: `f` calls itself under a condition that is only known while the program runs
# help: use a `while` or `for` loop, or pass a known number that ends the recursion
