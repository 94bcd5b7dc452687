print(vmap(fn(x) = ppermute(x, "i", ((0, 1), (1, 2))), axis_name="i")(ones(2)))

# error: PM0352 "ppermute(x, "i", ((0, 1), (1, 2)))"
# message: `ppermute` over 2 devices cannot send from 1 to 2
# help: go round the axis, whose places are 0 to 1: ((0, 1), (1, 0))
# help: or leave out what is beyond it: ((0, 1),)
