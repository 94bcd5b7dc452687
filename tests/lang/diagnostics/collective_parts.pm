print(vmap(fn(x) = psum_scatter(x, "i", tiled=true), axis_name="i")(ones((2, 3))))

# error: PM0351 "psum_scatter(x, "i", tiled=true)"
# message: `psum_scatter` cannot cut axis 0 of f32[3] evenly into 2 parts
# help: cut the axis to 2: x[:2]
# help: or fill it up with zeros to 4: pad_to(x, 2).0
