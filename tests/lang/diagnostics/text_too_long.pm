print("ab" * 3)
print("ab" * 100_000_000)

# expect: ababab
# error: PM0512 ""ab" * 100_000_000"
# message: the product has no place in memory: `*` makes strings of at most 16777216 bytes
