print(vmap(fn(p, y) = p.w * y, in_axes=({b: 0}, 0))({w: ones(2)}, ones(2)))

# error: PM0314 "vmap(fn(p, y) = p.w * y, in_axes=({b: 0}, 0))({w: ones(2)}, ones(2))"
# message: in_axes of `vmap` is {b: 0}: of argument 0, `p` it has no field `w`
# help: for argument 0, `p` write {w: 0}, or an integer or `none` for all of it
