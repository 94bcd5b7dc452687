print("ab" * 3)
print("ab" * 100_000_000)

# expect: ababab
# error: PM0280 ""ab" * 100_000_000"
# message: the product is no shape: a string made by `*` holds at most 2^24 bytes
