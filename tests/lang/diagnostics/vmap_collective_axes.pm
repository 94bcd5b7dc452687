fn f(x) = ppermute(x, ("i", "j"), ((0, 1), (1, 0)))
print(vmap(vmap(f, axis_name="j"), axis_name="i")(ones((2, 2))))

# error: PM0803 "ppermute(x, ("i", "j"), ((0, 1), (1, 0)))"
# message: `ppermute` over several axes with the vmapped one among them is not available in this version
# help: apply it over one axis after the other
