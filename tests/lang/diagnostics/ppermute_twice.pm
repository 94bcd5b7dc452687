print(vmap(fn(x) = ppermute(x, "i", ((0, 1), (1, 1))), axis_name="i")(ones(2)))

# error: PM0353 "ppermute(x, "i", ((0, 1), (1, 1)))"
# message: `ppermute` names destination 1 twice
