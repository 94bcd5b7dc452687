fn f(x) = psum_scatter(x, "i", axis_index_groups=((0, 1), (2, 3)))
print(vmap(f, axis_name="i")(ones((4, 3))))
# error: PM0350 "psum_scatter(x, "i", axis_index_groups=((0, 1), (2, 3)))"
# message: `psum_scatter` over 2 slices needs axis 0 to have that size, but it is 3 of f32[3]
