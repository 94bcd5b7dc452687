# If arguments do not fit a device axis, the message has arguments that fit the axis that was probably meant.
# session: yes
vmap(fn(x) = psum_scatter(x, "i"), axis_name="i")(ones((3, 6)))
vmap(fn(x) = psum_scatter(x, "i", scatter_dimension=1), axis_name="i")(ones((3, 2, 1)))
vmap(fn(x) = psum_scatter(pad_to(x, 3, axis=1).0, "i", 1), axis_name="i")(ones((3, 2, 1)))
vmap(fn(x) = psum_scatter(x, "i"), axis_name="i")(ones((3, 0)))
vmap(fn(x) = all_to_all(x, "i", 1, 0, tiled=true), axis_name="i")(ones((2, 2, 3)))
vmap(fn(x) = all_to_all(x[:, :2], "i", 1, 0, tiled=true), axis_name="i")(ones((2, 2, 3))).shape
vmap(fn(x) = ppermute(x, "i", ((0, -1),)), axis_name="i")(ones(3))
vmap(fn(x) = ppermute(x, "i", ((0, 2), (1, 0))), axis_name="i")(ones(2))
vmap(fn(x) = ppermute(x, "i", ((1, 0),)), axis_name="i")(ones(2))

# error: PM0350
# help: give each 2 of them: tiled=true
# help: or cut the axis to 3: x[:3]
# error: PM0350
# help: fill it up with zeros to 3: pad_to(x, 3, axis=1).0
# expect: [[3, 3], [0, 0], [0, 0]]
# error: PM0350
# message: `psum_scatter` over 3 slices needs axis 0 to have that size, but it is 0 of f32[0]
# error: PM0351
# help: cut the axis to 2: x[:, :2]
# help: or fill it up with zeros to 4: pad_to(x, 2, axis=1).0
# expect: (2, 4, 1)
# error: PM0352
# help: go round the axis, whose places are 0 to 2: ((0, 2),)
# help: or leave out what is beyond it: ()
# error: PM0352
# help: leave out what is beyond it: ((1, 0),)
# expect: [1, 0]
