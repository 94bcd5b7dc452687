# The arguments of a pmap are unknown, so the message marks the size that it shows as an example.
# command: check
# configs: compiled
let free = pmap(fn(w: f32[d], x: f32[n, d]) = w + pmean(sum(x, axis=0), "j"), axis_name="i", in_axes=(none, 0))
let stated = pmap(fn(w: f32[d]) = pmean(w, "j"), axis_name="i", in_axes=none, axis_size=5)

# error: PM0301 ""j""
# message: `pmean` runs over axis `j`, but no axis of that name is in scope
# caret: no pmap or vmap around names this axis
# note: in scope here: axis `i` (size 4) of `pmap`
# note: the size 4 is an example: `pmap` gets its own from each call
# error: PM0301 ""j""
# caret: no pmap or vmap around names this axis
# note: in scope here: axis `i` (size 5) of `pmap`
# note: for any sizes: `d` is axis 0 of `w`
