print(vmap(fn(x) = psum_scatter(x, "i"), axis_name="i")(ones((2, 3))))

# error: PM0350 "psum_scatter(x, "i")"
# message: `psum_scatter` over 2 slices needs axis 0 to have that size, but it is 3 of f32[3]
# help: cut the axis to 2: x[:2]
