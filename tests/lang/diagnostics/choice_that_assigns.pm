# A failed call whose arguments assign names is not evaluated a second time in compiled code.
mut n = 0
print(where(n == 0, if true { n = n + 1; n } else { 0 }, 1 // (n - 1)))

# error: PM0502 "1 // (n - 1)"
