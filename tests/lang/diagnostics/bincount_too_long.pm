# A number that does not fit into an i64 is an error: there would be too many counts.
print(bincount([2u64, 0u64]))
print(bincount([18446744073709551615u64, 1u64]))

# expect: [1, 0, 1]
# error: PM0206 "bincount([18446744073709551615u64, 1u64])"
