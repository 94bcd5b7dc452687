print(vmap(fn(p) = p.a, in_axes=({a: 0, b: 1},))({a: ones(2), b: ones(2)}))

# error: PM0312 "{a: ones(2), b: ones(2)}"
# message: `vmap` maps axis 1 of argument 0, `p.b`, f32[2], which has 1 axis
# help: use an axis from -1 to 0, or `none` to give every slice the whole of it
