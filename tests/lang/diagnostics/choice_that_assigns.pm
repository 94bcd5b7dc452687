# A call whose arguments assign names is evaluated once; it is not compiled as a whole for a second try.
mut n = 0
print(where(n == 0, if true { n = n + 1; n } else { 0 }, 1 // (n - 1)))

# error: PM0502 "1 // (n - 1)"
