# Messages show the values of axes and shapes, not their types.
print(vmap(fn(x) = x, in_axes=(0, none, -1))(ones(3)))

# error: PM0314 "vmap(fn(x) = x, in_axes=(0, none, -1))(ones(3))"
# message: in_axes of `vmap` is (0, none, -1): it has 3 entries, but the call has 1 positional argument
