fn fib(n) { if n < 2 { n } else { fib(n - 1) + fib(n - 2) } }
print(fib(i32(7)))
# The call above has the same types; it has recorded that `n` must be known.
print(vmap(fib)([1, 2]))

# expect: 13
# error: PM0702 "fib(n - 1)"
# message: `fib` calls itself under a condition that is only known while the program runs
# second: "n < 2" under this condition
# second: "vmap(fib)([1, 2])" here it comes from the elements of an array
# note: through `vmap(fib)`
# help: use a `while` or `for` loop, or pass a known number that ends the recursion
