fn fib(n) {
    if n < 2 { return n }
    fib(n - 1) + fib(n - 2)
}
print(vmap(fib)([1, 2]))

# error: PM0702 "fib(n - 1)"
# message: `fib` calls itself under a condition that is only known while the program runs
# second: "if n < 2 { return n }" under this condition
# second: "vmap(fib)([1, 2])" here it comes from the elements of an array
# help: use a `while` or `for` loop, or pass a known number that ends the recursion
