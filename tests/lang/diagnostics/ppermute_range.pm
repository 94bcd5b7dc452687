print(vmap(fn(x) = ppermute(x, "i", ((0, 1), (1, 2))), axis_name="i")(ones(2)))

# error: PM0352 "ppermute(x, "i", ((0, 1), (1, 2)))"
# message: `ppermute` over 2 devices cannot send from 1 to 2
