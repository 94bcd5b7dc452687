let keys = random.split(random.key(0), 2)
print(keys({a: 1}))

# error: PM0102 "keys({a: 1})"
# message: key[2] is not a function
# help: rename `keys`, which hides the function `keys` of the library
