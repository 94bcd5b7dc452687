let x = 3
print(0 < x < 5)

# configs: compiled
# error: PM0015 "<"
# message: comparisons do not chain: `<` after `<`
# second: "<"
# help: write a < b and b < c
