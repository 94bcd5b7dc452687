let keys = random.split(random.key(0), 2)
print(vmap(fn(k) = ppermute(k, "i", ((0, 1), (1, 0))), axis_name="i")(keys))
# error: PM0111 "k"
# message: `ppermute` needs numbers, got random keys
