print(vmap(fn(x) = x + 1, axis_size=4)(ones(3)))

# error: PM0311 "ones(3)"
# message: `vmap` got different sizes for the axes it maps: axis_size is 4, but axis 0 of argument 0, `x`, f32[3] has 3
# second: "vmap(fn(x) = x + 1, axis_size=4)(ones(3))" axis_size is 4
# help: leave axis_size out, or give 3
