# Messages of the library are as clear in a function that must be compiled: the function's numbers become known.
fn spread(x) = broadcast_in_dim(x, (3, 2), (2,))
print(vmap(spread)(ones((4, 2))))
# error: PM0504 "broadcast_in_dim(x, (3, 2), (2,))"
# message: the places of `broadcast_in_dim` must increase and be below 2, got (2,)
