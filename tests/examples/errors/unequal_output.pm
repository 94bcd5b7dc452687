# out_axes none without pmean in front.
fn update(w, x) = w * mean(x)
print(pmap(update, in_axes=(none, 0), out_axes=none)(2.0, arange(8.0).reshape(4, 2)))
