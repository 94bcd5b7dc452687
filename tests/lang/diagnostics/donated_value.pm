let step = pmap(fn(w, x) = w - x, donate_argnums=(0,))
mut w = ones((1, 3))
w.step(w)
w += 1.0
# error: PM0318 "w"
# message: `w` was donated: its memory is another array's now
# help: give the name what the call returns: w = ...
# help: or leave the argument out of donate_argnums
