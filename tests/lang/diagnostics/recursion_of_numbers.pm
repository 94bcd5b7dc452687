fn factorial(n) = if n == 0 { 1 } else { n * factorial(n - 1) }
print(factorial(10))
print(factorial(-1))

# expect: 3628800
# error: PM0701 "factorial(n - 1)"
# message: `factorial` calls itself more than 1000 levels deep
# help: where it never ends, return without calling `factorial` in the last case; where it ends later, write a loop
